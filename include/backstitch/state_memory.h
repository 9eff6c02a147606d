// SPDX-License-Identifier: MIT

/// @file state_memory.h
/// What a state's memory holds, part by part: for overlays and other tools of a developer.
///
/// Thread rule: as the state itself, one thread at a time.

#ifndef BACKSTITCH_STATE_MEMORY_H
#define BACKSTITCH_STATE_MEMORY_H

#include "backstitch/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a part of a state's memory is.
typedef enum bks_memory_kind {
    BKS_MEMORY_ROOT = 0,   ///< the root struct, with what is left behind it up to the arena; all of
                           ///< a state without an arena
    BKS_MEMORY_HEAD = 1,   ///< the arena's bookkeeping
    BKS_MEMORY_BLOCKS = 2, ///< what bks_arena_alloc() gave, one block beside the other
    BKS_MEMORY_POOL = 3,   ///< a pool with its bookkeeping
    BKS_MEMORY_FREE = 4,   ///< behind what is in use
} bks_memory_kind;

/// One part of a state's memory.
typedef struct bks_memory_part {
    bks_memory_kind kind;  ///< what it is
    char name[24];         ///< POOL: its name, printable ASCII; others: ""
    uint64_t offset_bytes; ///< from the state's start
    uint64_t bytes;        ///< size of it
    uint64_t item_bytes;   ///< POOL: size of one item; this and all that follow are 0 for others
    uint32_t capacity;     ///< POOL: most items
    uint32_t live;         ///< POOL: items now
    uint32_t high_water;   ///< POOL: most items at once so far
    uint32_t leaked;       ///< POOL: as in bks_pool_usage
    uint64_t added;        ///< POOL: items ever added
} bks_memory_part;

/// Report what a state's memory holds, from its start to its end: root, arena, blocks and pools.
/// The bytes may come from anywhere, such as a recording: nothing is believed of them, and pools
/// behind a damaged one count as blocks.
/// @param state       not NULL unless count is 0
/// @param count       its bytes: bks_state_bytes() of a region
/// @param root_bytes  of the game; 0: the state has no arena
/// @param out         may be NULL when capacity is 0, which asks for the number only
/// @param capacity    length of out
/// @return the number of parts, which may be more than capacity; 0 for NULL or no bytes
BKS_API uint32_t bks_state_memory(const void *state, size_t count, size_t root_bytes,
                                  bks_memory_part *out, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_STATE_MEMORY_H
