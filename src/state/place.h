// SPDX-License-Identifier: MIT

/// @file place.h
/// Names for many bytes of one state, with a cache: the arena is searched once, and lookups at
/// rising offsets walk over the pools only once.

#ifndef BKSI_PLACE_H
#define BKSI_PLACE_H

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"
#include "state/arena_layout.h"

/// Return true if a range is not empty and ends within the largest possible state.
bool bksi_range_is_sound(const bks_state_range *range);

/// Check a game's ranges: each has a name, elements, and an end within 1 GiB.
/// @param call  name of the public function, for the error
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names "ranges" or "range_count")
bks_status bksi_ranges_check(const bks_state_range *ranges, uint32_t count, const char *call,
                             bks_error *error);

/// Cache of lookups in a state. Start from {0}.
typedef struct bksi_place_known {
    bool is_scanned; ///< true if `scan` is valid, even if it found no arena
    bksi_arena_scan scan;
    bool has_pools;       ///< true if `pools` is valid
    bksi_pool_walk pools; ///< walk over the pools, up to the last byte looked up
} bksi_place_known;

/// Name a byte as bks_state_find() does. The arguments must be valid.
/// @param known  cache of lookups in the same state
void bksi_state_find(const void *state, size_t count, const bks_state_range *ranges,
                     uint32_t range_count, uint64_t offset_bytes, bksi_place_known *known,
                     bks_state_place *out);

#endif
