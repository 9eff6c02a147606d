// SPDX-License-Identifier: MIT

/// @file map_find.h
/// Looks up many bytes of one state: what was found out by following references, and by going over
/// the pools, is used again.

#ifndef BKSI_MAP_FIND_H
#define BKSI_MAP_FIND_H

#include "game/map_block.h"

/// The block that the last lookup found by following references, and the pools before it: lookups
/// upwards go over the pools once. Start from {0}.
typedef struct bksi_map_known {
    bool is_found;        ///< false: the bytes that `block` says belong to none
    bksi_map_block block; ///< of its same_begin_bytes up to same_end_bytes
    uint32_t walks;       ///< how often references were followed
    bool has_pools;       ///< `pools` stands somewhere
    bksi_pool_walk pools; ///< over the pools before the last byte that was looked up
} bksi_map_known;

/// As bks_state_map_find(), of arguments that are right.
/// @param known  of this state and map; NULL: nothing is
void bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                         uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                         bks_map_place *out);

#endif
