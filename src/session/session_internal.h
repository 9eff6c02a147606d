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
#include "rollback/rollback.h"
#include "session/ballots.h"
#include "session/budget.h"
#include "session/checking.h"
#include "session/clock.h"
#include "session/drive.h"
#include "session/events.h"
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

/// Bits of all peers, and of those in the newest view.
static inline uint32_t bksi_membership_everyone(const bks_session *session)
{
    return PEER_BIT(session->seats.peer_count) - 1;
}
static inline uint32_t bksi_membership_now(const bks_session *session)
{
    return bksi_membership_everyone(session) & ~session->membership.departed;
}
static inline bool bksi_membership_has(const bks_session *session, uint32_t peer)
{
    return (bksi_membership_now(session) >> peer & 1) != 0;
}
/// Whether no more inputs of a peer are taken until the next view.
static inline bool bksi_membership_is_frozen(const bks_session *session, uint32_t peer)
{
    return (session->membership.frozen >> peer & 1) != 0;
}

/// Bits of the others in the view who have not said goodbye.
static inline uint32_t bksi_goodbyes_awaited(const bks_session *session)
{
    return bksi_membership_now(session) & ~PEER_BIT(session->seats.self) & ~session->goodbyes.said;
}
static inline bool bksi_goodbyes_is_awaited(const bks_session *session, uint32_t peer)
{
    return (bksi_goodbyes_awaited(session) >> peer & 1) != 0;
}

/// One past the newest tick whose inputs of a peer are known; of our own peer.
static inline bks_tick bksi_heads_of(const bks_session *session, uint32_t peer)
{
    return bksi_rollback_head(&session->engine, session->seats.peers[peer].first_player);
}
static inline bks_tick bksi_heads_own(const bks_session *session)
{
    return bksi_heads_of(session, session->seats.self);
}

/// Whether packets go both ways between a peer and us, and its inputs are taken.
static inline bool bksi_liveness_is_fine(const bks_session *session, uint32_t index)
{
    const session_liveness_peer *peer = &session->liveness.peers[index];
    uint64_t patience_ns = FINE_TICKS * NS_PER_SECOND / session->config.tick_rate_hz;
    patience_ns = patience_ns < FINE_MIN_NS ? FINE_MIN_NS : patience_ns;
    return session->now_ns - peer->heard_ns <= patience_ns && peer->hears_us &&
           !bksi_membership_is_frozen(session, index);
}

// config.c
bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error);
/// The first seat that a guest wants, as it goes over the wire.
/// @return the seat, -1: the next free one
int32_t bksi_session_wanted_seat(const bks_session_config *config);

#endif
