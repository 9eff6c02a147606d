// SPDX-License-Identifier: MIT

/// @file session_internal.h
/// Whole session, for the files that compose its parts: session_create, session_update, drive,
/// messages, running_messages, packets, queries, bulk_calls, command_calls, inspect. A part has a
/// struct that only its own file writes, declared in the header of its name. Functions of a part
/// take its struct, the state that all parts may read (session_common), and the other parts that it
/// uses. No part knows the whole. docs/architecture.md draws the parts.

#ifndef BKSI_SESSION_INTERNAL_H
#define BKSI_SESSION_INTERNAL_H

#include "session/agree/answers.h"
#include "session/agree/checking.h"
#include "session/agree/descent.h"
#include "session/agree/failure.h"
#include "session/agree/fetch.h"
#include "session/agree/game_check.h"
#include "session/agree/meeting.h"
#include "session/bulk/bulk_streams.h"
#include "session/common/common.h"
#include "session/inputs/carriage.h"
#include "session/inputs/exchange.h"
#include "session/inputs/routes.h"
#include "session/lobby/lobby.h"
#include "session/members/views.h"
#include "session/time/clock.h"

/// Peers that are due an INPUT. Only running_messages.c changes this struct.
typedef struct session_running_messages {
    uint32_t owed_inputs; ///< bits: peers due an INPUT on the route in use
    uint32_t owed_probes; ///< bits: peers due one more INPUT, on another route
} session_running_messages;

/// Peers of the newest packets, and counts of all packets. Only packets.c changes this struct.
typedef struct session_packets {
    /// Sender of the newest packet that came; BKS_PEERS_MAX: the packet was refused, or its sender
    /// is not in the roster.
    uint32_t from;
    /// Peer to which the last bks_session_send() wrote a packet; BKS_PEERS_MAX: it wrote a packet
    /// of a handshake, a packet to an address of no peer, or none.
    uint32_t to;
    uint64_t received;
    uint64_t refused;
    uint64_t sent;
    uint64_t payload_bytes; ///< bytes of sent packets, with their seals
    uint64_t seal_bytes;
} session_packets;

struct bks_session {
    session_common common;

    bool has_begun;      ///< the first update was made
    uint64_t begun_ns;   ///< time of the first update
    uint64_t connect_ns; ///< time from the first update to the first tick
    bool is_updating;    ///< true from an update until its last operation is done
    bool holds_start;    ///< our owner cannot carry out START yet

    session_lobby lobby;
    session_views views;

    session_clock clock;
    session_tempo tempo;
    uint32_t delay_most; ///< longest input delay that bks_session_retune() accepts

    session_inputs inputs;
    session_exchange exchange;
    session_routes routes;
    session_carriage carriage;
    session_bulk_streams bulk;

    session_checking checking;
    session_answers answers;
    session_descent descent;
    session_fetch fetch;
    session_game_check game_check;
    session_meeting meeting;
    session_failure failure;
    bool has_op; ///< an operation is handed out
    bks_op op;

    session_running_messages running_messages;
    session_packets packets;
};

#endif
