// SPDX-License-Identifier: MIT

/// @file arena.h
/// The arena of a region: made, and checked where its bytes may be hostile.

#ifndef BKSI_ARENA_H
#define BKSI_ARENA_H

#include "state/arena_layout.h"

/// Bytes that a root of `root_bytes` and an empty arena take.
size_t bksi_arena_used_at_start(size_t root_bytes);

/// Make an empty arena in a zeroed region with room for it.
void bksi_arena_init(void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// Whether the header is still there and what lies between it and the root is still zero: cheap,
/// and enough to see that the root was written past its end.
bool bksi_arena_has_head(const void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// What is wrong with an arena whose bytes may be hostile: NULL when it is the one that
/// bksi_arena_init() makes, grown to `used_bytes`, and all its pools are sound. `used_bytes` of the
/// bytes are there.
/// @param out_offset  receives where, from the region's start; written only when something is wrong
const char *bksi_arena_fault(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                             size_t used_bytes, uint64_t *out_offset);

/// Whether a byte belongs to the arena's header or to what a pool keeps beside its items. Pools
/// behind a damaged one are not found.
bool bksi_arena_is_bookkeeping(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               size_t offset);

/// Whether `count` bytes are in use and what bks_arena_alloc() gives to games: none of the root,
/// the arena's header and its pools, as far as these are not behind a damaged one.
bool bksi_arena_is_game_memory(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               uint64_t offset, uint64_t count);

#endif
