// SPDX-License-Identifier: MIT

/// @file place.h
/// Names many bytes of one state: the arena is looked for once, and lookups upwards go over the
/// pools once.

#ifndef BKSI_PLACE_H
#define BKSI_PLACE_H

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"
#include "state/arena_layout.h"

/// Whether a range has bytes, and ends within the largest state there can be.
bool bksi_range_is_sound(const bks_state_range *range);

/// Check a game's ranges: each has a name, elements, and an end within 1 GiB.
/// @param call  the public function, for the error
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names "ranges" or "range_count")
bks_status bksi_ranges_check(const bks_state_range *ranges, uint32_t count, const char *call,
                             bks_error *error);

/// What lookups in a state found out. Start from {0}.
typedef struct bksi_place_known {
    bool is_scanned; ///< `scan` says whether there is an arena
    bksi_arena_scan scan;
    bool has_pools;       ///< `pools` stands somewhere
    bksi_pool_walk pools; ///< over the pools before the last byte that was looked up
} bksi_place_known;

/// As bks_state_find(), of arguments that are right.
/// @param known  of this state
void bksi_state_find(const void *state, size_t count, const bks_state_range *ranges,
                     uint32_t range_count, uint64_t offset_bytes, bksi_place_known *known,
                     bks_state_place *out);

#endif
