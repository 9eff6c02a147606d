// SPDX-License-Identifier: MIT

/// @file arena.h
/// Creation of a region's arena, and checks of an arena whose bytes may be hostile.

#ifndef BKSI_ARENA_H
#define BKSI_ARENA_H

#include "state/arena_layout.h"

/// Return the number of bytes in use with a root of `root_bytes` and an empty arena.
size_t bksi_arena_used_at_start(size_t root_bytes);

/// Make an empty arena in a zeroed region, which must have room for it.
void bksi_arena_init(void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// Return true if the header is intact and the padding after the root is still zero. This is a
/// cheap check that shows a write past the root's end.
bool bksi_arena_has_head(const void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// Find what is wrong with an arena whose bytes may be hostile. Return NULL if the arena is as
/// bksi_arena_init() makes it, grown to `used_bytes`, and all its pools are valid. The first
/// `used_bytes` bytes must be readable.
/// @param out_offset  receives the offset of the fault from the region's start; unchanged if there
///                    is none
const char *bksi_arena_fault(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                             size_t used_bytes, uint64_t *out_offset);

/// Return true if a byte belongs to the arena's header or to a pool's bookkeeping. Pools after a
/// damaged one are not found.
bool bksi_arena_is_bookkeeping(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               size_t offset);

/// Return true if `count` bytes are in use and were given to the game by bks_arena_alloc(): not in
/// the root, the arena's header or its pools. Pools after a damaged one are not found.
bool bksi_arena_is_game_memory(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               uint64_t offset, uint64_t count);

#endif
