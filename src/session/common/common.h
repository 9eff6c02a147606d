// SPDX-License-Identifier: MIT

/// @file common.h
/// What all parts of a session may ask. A part's functions take its own struct and this one.

#ifndef BKSI_COMMON_H
#define BKSI_COMMON_H

#include "backstitch/session.h"

#include "base/mutant.h"
#include "input/layout.h"
#include "net/guard.h"
#include "rollback/engine.h"
#include "session/common/events.h"
#include "session/common/goodbyes.h"
#include "session/common/links.h"
#include "session/common/membership.h"
#include "session/common/phase.h"
#include "session/common/seats.h"

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull

/// The longest gap between two packets to a peer: 20 a second at least.
#define SEND_GAP_MAX_NS (NS_PER_SECOND / 20)

// ---- the hooks of the lab: what a peer sends that lies on purpose ----

/// Other inputs of ours than the true ones, for some peers; and messages with anything in them.
typedef struct bksi_equivocation {
    /// An input of ours as a peer gets it.
    /// @param truth    the true one, packed
    /// @param scratch  BKSI_INPUT_BYTES_MAX bytes, to hold another
    /// @return either
    const uint8_t *(*input)(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                            const uint8_t *truth, uint8_t *scratch);
    /// A message to a member, about to be sealed; NULL: all go as they are.
    /// @param type  of the message, may become another one above BKSI_PACKET_HANDSHAKE and below
    ///              BKSI_PACKET_ADDRESS
    /// @param body  room for BKSI_BODY_BYTES_MAX, may be changed
    /// @return its bytes
    size_t (*forge)(void *context, uint32_t to_peer, uint32_t *type, uint8_t *body, size_t count);
    void *context; ///< of both
    uint32_t
        to_peers; ///< bits: peers that may get other inputs, and so learn from others than we do
} bksi_equivocation;

typedef struct session_common {
    bks_session_config config;
    bksi_layout layout;
    bksi_compat compat; ///< what peers must have in common with us
    bksi_guard guard;

    session_phase phase;
    uint64_t now_ns;

    session_seats seats;
    session_membership membership;
    session_links links;
    session_goodbyes goodbyes;
    session_events events;
    session_ending ending;
    session_repairs repairs;
    bksi_rollback engine;

    const bksi_equivocation *equivocation; ///< NULL: all hear the truth
} session_common;

/// Length of a tick at full rate.
static inline double bksi_common_tick_ns(const session_common *common)
{
    return (double)NS_PER_SECOND / common->config.tick_rate_hz;
}

/// The time as messages of the lobby carry it.
static inline uint32_t bksi_common_now_us(const session_common *common)
{
    return (uint32_t)(common->now_ns / 1000);
}

/// The first tick that the match has not, 0: it does not end.
static inline bks_tick bksi_common_end(const session_common *common)
{
    return common->ending.tick > 0 ? common->ending.tick : common->seats.end_tick;
}

/// Bits of the peers in the newest view; whether one is; of those without us.
static inline uint32_t bksi_common_members(const session_common *common)
{
    return bksi_membership_now(&common->membership);
}
static inline bool bksi_common_has(const session_common *common, uint32_t peer)
{
    return (bksi_common_members(common) >> peer & 1) != 0;
}
static inline uint32_t bksi_common_others(const session_common *common)
{
    return bksi_common_members(common) & ~PEER_BIT(common->seats.self);
}
/// Of the peers that have left the match.
static inline uint32_t bksi_common_departed(const session_common *common)
{
    return common->seats.all & ~bksi_common_members(common);
}
/// And of those that have not said goodbye.
static inline uint32_t bksi_common_awaited(const session_common *common)
{
    return bksi_common_others(common) & ~common->goodbyes.done;
}

/// One past the newest tick whose inputs of a peer are known; of our own peer.
static inline bks_tick bksi_common_head(const session_common *common, uint32_t peer)
{
    return bksi_rollback_head(&common->engine, common->seats.peers[peer].first_player);
}
static inline bks_tick bksi_common_own_head(const session_common *common)
{
    return bksi_common_head(common, common->seats.self);
}
/// Return true if we have every tick of the match, certain and checked.
static inline bool bksi_common_has_every_tick(const session_common *common)
{
    const bks_tick done = bksi_mutated(BKSI_MUTANT_END) ? bksi_rollback_front(&common->engine)
                                                        : bksi_rollback_published(&common->engine);
    const bks_tick end = bksi_common_end(common);
    return end > 0 && done >= end;
}
/// Return true if such heads of these peers can be.
static inline bool bksi_common_heads_can_be(const session_common *common, uint32_t peers,
                                            const bks_tick *heads)
{
    const bks_tick most = bksi_common_own_head(common) + BKSI_AHEAD_TICKS_MAX;
    EACH_PEER (i, common->seats.all & peers) {
        if (heads[i] > most) {
            return false;
        }
    }
    return true;
}

#endif
