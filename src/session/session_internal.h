// SPDX-License-Identifier: MIT

/// @file session_internal.h
/// A session is made of parts. Each has a struct that one file owns and writes, declared in the
/// header of its name; others ask it. docs/architecture.md draws them.
///
/// - the whole: session, drive, packets_in, packets_out, queries, inspect
/// - who is in the match: lobby (lobby_messages, host_clock), start, refusal, ballots, views,
///   view_queue
/// - what time it is: clock, pace, budget
/// - inputs on their way: runs, exchange, forwarding, relays, liveness
/// - what is certain: checking, failure
/// - what all ask: seats, membership, heads, links, goodbyes, events, phase, config
///
/// Time and inputs do not know who is in; of inputs, time knows only which of ours a peer has. The
/// membership asks inputs on their way: a ballot carries the inputs of the peers that leave. The
/// rollback engine stands below them all.

#ifndef BKSI_SESSION_INTERNAL_H
#define BKSI_SESSION_INTERNAL_H

#include "backstitch/session.h"

#include "base/mutant.h"
#include "input/codec.h"
#include "input/input_stream.h"
#include "input/layout.h"
#include "net/guard.h"
#include "rollback/engine.h"
#include "session/checking.h"
#include "session/clock.h"
#include "session/common.h"
#include "session/drive.h"
#include "session/events.h"
#include "session/exchange.h"
#include "session/failure.h"
#include "session/forwarding.h"
#include "session/goodbyes.h"
#include "session/heads.h"
#include "session/inputs.h"
#include "session/inspect.h"
#include "session/links.h"
#include "session/liveness.h"
#include "session/lobby.h"
#include "session/membership.h"
#include "session/packets.h"
#include "session/phase.h"
#include "session/relays.h"
#include "session/runs.h"
#include "session/seats.h"
#include "session/views.h"
#include "wire/packet.h"

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
    session_relays relays;

    session_checking checking;
    session_failure failure;
    bool has_op; ///< one is handed out
    bks_op op;

    session_packets packets;
    session_packets_in packets_in;
};

#endif
