// SPDX-License-Identifier: MIT

/// @file packed.h
/// Commands as INPUT messages carry them: blobs packed by input/command_packer.h, one packer for
/// each player. Our own blobs are packed once, when they are sampled, and held until every peer has
/// them, so a repeat has the same bytes. Blobs whose bytes travel ahead (lane.h) are not packed,
/// and no packer learns them. Only games with commands need memory.

#ifndef BKSI_PACKED_H
#define BKSI_PACKED_H

#include "input/command_packer.h"
#include "session/common/common.h"

/// Bytes of the ring of a player's packed blobs. It holds all that some peer lacks, which together
/// are at most one tick's, and a gap of less than one blob where the ring wraps.
#define BKSI_PACKED_RING_BYTES 1024u
_Static_assert(2 * (BKSI_TICK_BITS_MAX / 8 + BKSI_PACKED_EXTRA_BYTES) <= BKSI_PACKED_RING_BYTES,
               "the ring has room for what may be under way");

/// Packed blob of a tick.
typedef struct session_packed_tick {
    uint16_t at; ///< offset in the ring
    uint16_t count;
    bool is_ahead; ///< the bytes travel ahead of the tick, plain (lane.h), so `at` is unused
} session_packed_tick;

/// Packed blobs of a local player.
typedef struct session_packed_ring {
    uint8_t bytes[BKSI_PACKED_RING_BYTES];
    uint32_t at;                ///< offset behind the newest blob
    session_packed_tick *ticks; ///< ring, by tick modulo capacity_ticks
} session_packed_ring;

typedef struct session_packed {
    bksi_command_packer *packers; ///< by player; NULL: the game has no commands
    session_packed_ring *rings;   ///< by local player
    uint32_t players;
    uint32_t locals;
    uint32_t capacity_ticks; ///< a power of two
} session_packed;

/// @param players         most players of the match
/// @param locals          number of local players
/// @param capacity_ticks  ticks for which inputs are held, a power of two
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_packed_create(session_packed *packed, uint32_t players, uint32_t locals,
                              uint32_t capacity_ticks, const bks_allocator *allocator);
void bksi_packed_destroy(session_packed *packed, const bks_allocator *allocator);

/// Pack and hold our own blobs of the newest tick.
/// @param other  hooks of a peer that lies; NULL: none
void bksi_packed_sampled(session_packed *packed, const bksi_rollback *engine,
                         const session_peer *own, bks_tick tick, const bksi_equivocation *other);
/// Return the packed blob of a local player. Some peer must lack the tick.
bksi_blob bksi_packed_blob(const session_packed *packed, uint32_t local, bks_tick tick);

/// Unpack a peer's blobs of its next tick, except those that travelled ahead. If that fails, it
/// fails for all later ticks of the peer.
/// @param blobs  packed blobs, one for each player; receives the plain ones
/// @param most   most plain bytes that they may have together
/// @param bytes  receives the bytes of the plain blobs: room for `most`
/// @return false if a blob is malformed, or they stand for more bytes
bool bksi_packed_open(session_packed *packed, const session_peer *peer, bksi_blob *blobs,
                      uint32_t most, uint8_t *bytes);
/// Open no later blobs of a peer, because a tick of it was refused for its commands.
static inline void bksi_packed_break(session_packed *packed, const session_peer *peer)
{
    packed->packers[peer->first_player].is_broken = true;
}
/// Return true if blobs of a peer were malformed or refused. Never in a game without commands.
static inline bool bksi_packed_is_broken(const session_packed *packed, const session_peer *peer)
{
    return packed->packers != NULL && packed->packers[peer->first_player].is_broken;
}
/// Learn a player's blob of its next tick, which came plain.
static inline void bksi_packed_learn(session_packed *packed, uint32_t player, const bksi_blob *blob)
{
    bksi_command_packer_learn(&packed->packers[player], blob);
}

#endif
