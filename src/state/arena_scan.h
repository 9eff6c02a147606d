// SPDX-License-Identifier: MIT

/// @file arena_scan.h
/// Reads the arena and the pools of a state that may come from anywhere: nothing in it is believed,
/// and it need not be aligned.

#ifndef BKSI_ARENA_SCAN_H
#define BKSI_ARENA_SCAN_H

#include "state/pool_plan.h"

/// Bytes of a state with the arena's header in it. Start with bytes and count.
typedef struct bksi_arena_scan {
    const uint8_t *bytes;
    uint64_t count;
    bks_arena arena; ///< a copy of its header
    bool has_arena;
} bksi_arena_scan;

/// Read the arena whose header lies at `at`.
/// @return whether it is there, as `has_arena`
bool bksi_arena_scan_at(bksi_arena_scan *scan, uint64_t at);

/// Look for the arena: it stands behind a root of unknown size, at a multiple of 16, and holds its
/// own place.
bool bksi_arena_scan_search(bksi_arena_scan *scan);

/// Whether a pool stands at `at`, all of it within the state.
/// @param out  receives its header, with a printable name
bool bksi_arena_scan_pool(const bksi_arena_scan *scan, uint64_t at, bks_pool *out);

/// Goes over the pools of an arena from the lowest up. It ends at the first that is none, or that
/// does not lie behind the one before it: so it ends whatever the state says.
///
///     bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
///     while (bksi_pool_walk_next(&scan, &walk)) { walk.pool lies at walk.at … }
typedef struct bksi_pool_walk {
    uint64_t at;      ///< of the pool, from the state's start
    uint64_t end;     ///< one past it; before the first pool one past the arena's header
    uint64_t next_at; ///< of the next one, as the state says
    bks_pool pool;    ///< its header
} bksi_pool_walk;

/// @param scan  with an arena
bksi_pool_walk bksi_pool_walk_begin(const bksi_arena_scan *scan);
/// @return false: there is none more
bool bksi_pool_walk_next(const bksi_arena_scan *scan, bksi_pool_walk *walk);

/// Generation of a slot of a pool that bksi_arena_scan_pool() found at `at`.
/// @param out_is_live  receives whether the item is live
uint16_t bksi_arena_scan_slot(const bksi_arena_scan *scan, uint64_t at, const bks_pool *pool,
                              uint32_t slot, bool *out_is_live);

#endif
