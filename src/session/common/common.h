// SPDX-License-Identifier: MIT

/// @file common.h
/// State of a session that all its parts may read. Functions of a part take the part's own struct
/// and session_common.

#ifndef BKSI_COMMON_H
#define BKSI_COMMON_H

#include "backstitch/session.h"

#include "base/mutant.h"
#include "input/layout.h"
#include "net/guard.h"
#include "rollback/engine.h"
#include "session/common/events.h"
#include "session/common/game_speed_state.h"
#include "session/common/goodbyes.h"
#include "session/common/links.h"
#include "session/common/membership.h"
#include "session/common/phase.h"
#include "session/common/seats.h"

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull

/// Longest gap between two packets to a peer: at least 20 packets per second.
#define SEND_GAP_MAX_NS (NS_PER_SECOND / 20)

/// Longest time between two calls of the session by its owner that counts as awake time. If it is
/// longer, our process was frozen.
#define AWAKE_GAP_MAX_NS (250 * NS_PER_MS)

// ---- hooks of the lab: a peer that lies on purpose ----

/// Hooks that send some peers other inputs than our true ones, all other commands, and change
/// messages.
typedef struct bksi_equivocation {
    /// Get our input as it is sent to a peer.
    /// @param truth    true input, packed
    /// @param scratch  BKSI_INPUT_BYTES_MAX bytes, room for another input
    /// @return `truth` or `scratch`
    const uint8_t *(*input)(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                            const uint8_t *truth, uint8_t *scratch);
    /// Change a message to a member before it is sealed; NULL: send all messages unchanged.
    /// @param type  type of the message; the hook may set another one between BKSI_PACKET_HANDSHAKE
    ///              and BKSI_PACKET_ADDRESS, both excluded
    /// @param body  bytes of the message, may be changed; room for BKSI_BODY_BYTES_MAX
    /// @return number of bytes of the message
    size_t (*forge)(void *context, uint32_t to_peer, uint32_t *type, uint8_t *body, size_t count);
    /// Get our blob of commands as it is packed and sent to all; NULL: send true ones.
    /// @param is_whole  the tick before ended with a whole command
    /// @return `truth`, or another blob of at most 512 bytes, which stays valid for the call
    bksi_blob (*commands)(void *context, bks_tick tick, bool is_whole, const bksi_blob *truth);
    /// Get a blob of our commands as an INPUT to a peer of `to_peers` carries it; NULL: send the
    /// true one.
    /// @param truth   plain blob
    /// @param packed  the same blob, packed
    /// @param bytes   room for another packed blob: BKSI_PACKED_EXTRA_BYTES more than the plain one
    /// @return `packed`, or another packed blob
    bksi_blob (*blob)(void *context, uint32_t player, bks_tick tick, const bksi_blob *truth,
                      const bksi_blob *packed, uint8_t *bytes);
    void *context; ///< context of all hooks
    /// Bits: peers that may get false inputs. INPUTs to them use the plain codec (input/codec.h),
    /// because the models with which these peers decode have learnt other inputs than our models.
    uint32_t to_peers;
} bksi_equivocation;

typedef struct session_common {
    bks_session_config config;
    bksi_layout layout;
    bksi_compat compat; ///< our version, game and layout, which peers must share
    bksi_guard guard;

    session_phase phase;
    uint64_t now_ns;
    /// Time in which our process ran and could hear peers. The silence of a peer is measured in
    /// this time, because a peer cannot be heard while our process does not run.
    uint64_t awake_ns;

    session_seats seats;
    session_membership membership;
    session_links links;
    session_goodbyes goodbyes;
    session_events events;
    session_ending ending;
    session_game_speed game_speed;
    session_repairs repairs;
    bksi_rollback engine;

    const bksi_equivocation *equivocation; ///< hooks of a peer that lies; NULL: send true inputs
} session_common;

/// Get the length of a tick at the speed in force, in ns.
static inline double bksi_common_tick_ns(const session_common *common)
{
    const double tick_ns = (double)NS_PER_SECOND / common->config.tick_rate_hz;
    return tick_ns * (100.0 / bksi_game_speed_percent(&common->game_speed));
}

/// Get the current time in us, lowest 32 bits, as messages of the lobby have it.
static inline uint32_t bksi_common_now_us(const session_common *common)
{
    return (uint32_t)(common->now_ns / 1000);
}

/// Get the most players that one machine may have in a match with other machines.
static inline uint32_t bksi_common_seats_most(const session_common *common)
{
    return bksi_seats_most(&common->layout, common->config.command_bytes_max > 0);
}

/// Get the tick before which the match ends; 0: it does not end.
static inline bks_tick bksi_common_end(const session_common *common)
{
    return common->ending.tick > 0 ? common->ending.tick : common->seats.end_tick;
}

/// Get the members of the newest view, as bits.
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
/// Get the peers that have left the match, as bits.
static inline uint32_t bksi_common_departed(const session_common *common)
{
    return common->seats.all & ~bksi_common_members(common);
}
/// Get the other members that still need anything from us, as bits.
static inline uint32_t bksi_common_awaited(const session_common *common)
{
    return bksi_common_others(common) & ~common->goodbyes.done;
}

/// Get a peer's head: one past the newest tick of which we know its inputs.
static inline bks_tick bksi_common_head(const session_common *common, uint32_t peer)
{
    return bksi_rollback_head(&common->engine, common->seats.peers[peer].first_player);
}
static inline bks_tick bksi_common_own_head(const session_common *common)
{
    return bksi_common_head(common, common->seats.self);
}
/// Return true if we have every tick of the match, and all hashes are published.
static inline bool bksi_common_has_every_tick(const session_common *common)
{
    const bks_tick done = bksi_mutated(BKSI_MUTANT_END) ? bksi_rollback_front(&common->engine)
                                                        : bksi_rollback_published(&common->engine);
    const bks_tick end = bksi_common_end(common);
    return end > 0 && done >= end;
}
/// Return true if our match has ended and we did not leave it before.
static inline bool bksi_common_has_played(const session_common *common)
{
    return bksi_phase_seen(&common->phase) == BKS_PHASE_ENDED && !common->goodbyes.has_left;
}
/// Return true if each peer of a mask can have the head that a message claims for it.
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
