// SPDX-License-Identifier: MIT

/// @file session_internal.h
/// The whole session, for the files that compose its parts: session_create, session_update, drive,
/// packets_in, packets_out, queries, inspect. A part has a struct that its own file writes,
/// declared in the header of its name. Its functions take that struct, what all parts may ask
/// (session_common), and the parts that it stands on; none knows the whole.
/// docs/architecture.md draws them.

#ifndef BKSI_SESSION_INTERNAL_H
#define BKSI_SESSION_INTERNAL_H

#include "session/answers.h"
#include "session/bulk_streams.h"
#include "session/carriage.h"
#include "session/checking.h"
#include "session/clock.h"
#include "session/common.h"
#include "session/descent.h"
#include "session/due.h"
#include "session/exchange.h"
#include "session/failure.h"
#include "session/fetch.h"
#include "session/inputs.h"
#include "session/judging.h"
#include "session/lobby.h"
#include "session/meeting.h"
#include "session/packets.h"
#include "session/tempo.h"
#include "session/views.h"
#include "session/ways.h"

struct bks_session {
    session_common common;

    bool has_begun;      ///< the first update has been
    uint64_t begun_ns;   ///< when
    uint64_t connect_ns; ///< from then to the first tick
    bool is_updating;    ///< between update and the last next

    session_lobby lobby;
    session_views views;

    session_clock clock;
    session_tempo tempo;

    session_inputs inputs;
    session_exchange exchange;
    session_ways ways;
    session_carriage carriage;
    session_bulk_streams bulk;
    session_due due;

    session_checking checking;
    session_answers answers;
    session_descent descent;
    session_fetch fetch;
    session_judging judging;
    session_meeting meeting;
    session_failure failure;
    bool has_op; ///< one is handed out
    bks_op op;

    session_packets packets;
    session_packets_in packets_in;
};

#endif
