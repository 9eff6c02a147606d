// SPDX-License-Identifier: MIT

/// @file session_internal.h
/// A session is made of parts. Each has a struct that one file owns and writes, declared in the
/// header of its name; others ask it. docs/architecture.md draws them.
///
///   what all ask       seats, membership, heads, links, event_queue, phase, goodbyes
///   who is in          lobby (lobby_messages, host_clock), start, refusal, ballots, views,
///   view_queue what time it is    clock, pace, budget inputs on the way  liveness, runs, exchange,
///   forwarding, relays the game           drive, failure, checking; the engine is `rollback` the
///   whole          session, packets_in, packets_out, queries, inspect, config

#ifndef BKSI_SESSION_INTERNAL_H
#define BKSI_SESSION_INTERNAL_H

#include "backstitch/session.h"

#include "base/mutant.h"
#include "input/codec.h"
#include "input/input_stream.h"
#include "input/layout.h"
#include "net/guard.h"
#include "rollback/rollback.h"
#include "session/ballots.h"
#include "session/budget.h"
#include "session/checking.h"
#include "session/clock.h"
#include "session/drive.h"
#include "session/event_queue.h"
#include "session/exchange.h"
#include "session/forwarding.h"
#include "session/goodbyes.h"
#include "session/heads.h"
#include "session/host_clock.h"
#include "session/inspect.h"
#include "session/links.h"
#include "session/liveness.h"
#include "session/lobby.h"
#include "session/membership.h"
#include "session/pace.h"
#include "session/packets.h"
#include "session/phase.h"
#include "session/refusal.h"
#include "session/relays.h"
#include "session/runs.h"
#include "session/seats.h"
#include "session/start.h"
#include "session/view_queue.h"
#include "session/views.h"
#include "wire/packet.h"

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull

struct bks_session {
    bks_session_config config;
    bksi_guard guard;
    bksi_facts facts;
    bksi_layout layout;

    bks_phase phase;
    uint64_t now_ns;
    bool has_begun;      ///< the first update has been
    uint64_t begun_ns;   ///< when
    uint64_t connect_ns; ///< from then to the first tick
    bool is_updating;    ///< between update and the last next

    session_seats seats;
    session_events events;
    session_links links;
    session_goodbyes goodbyes;
    session_membership membership;

    session_lobby lobby;
    session_host_clock host_clock;
    session_start start;
    session_refusal refusal;
    session_ballots ballots;
    session_view_queue view_queue;

    session_clock clock;
    session_pace pace;
    session_budget budget;

    session_liveness liveness;
    session_exchange exchange;
    session_forwarding forwarding;
    session_relays relays;
    bksi_input_stream streams[BKS_PLAYERS_MAX]; ///< by player: its inputs on their way

    bksi_rollback engine;
    session_checking checking;
    session_failure failure;
    bool has_op; ///< one is handed out
    bks_op op;

    session_packets packets;
    session_packets_in packets_in;
    const bksi_equivocation *equivocation; ///< NULL: the truth is told to all
};

/// Length of a tick at full rate.
static inline double bksi_session_tick_ns(const bks_session *session)
{
    return (double)NS_PER_SECOND / session->config.tick_rate_hz;
}

/// The time as messages of the lobby carry it.
static inline uint32_t bksi_session_now_us(const bks_session *session)
{
    return (uint32_t)(session->now_ns / 1000);
}

// config.c
bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error);
/// The first seat that a guest wants, as it goes over the wire.
/// @return the seat, -1: the next free one
int32_t bksi_session_wanted_seat(const bks_session_config *config);

#endif
