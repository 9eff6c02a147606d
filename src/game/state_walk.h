// SPDX-License-Identifier: MIT

/// @file state_walk.h
/// Walks over parts of one state, within a budget.

#ifndef BKSI_STATE_WALK_H
#define BKSI_STATE_WALK_H

#include "backstitch/toolkit/state_map.h"

#include "game/map_block.h"
#include "state/place.h"

// What comparing states and walking over one share: names without a map, and the way from one
// place to the next.

/// No bit or byte.
#define BKSI_STATE_NONE UINT64_MAX

/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_state_names_check(const bks_state_names *names, const char *call);

/// Name a byte as bks_state_find() does.
/// @param run_bytes  bytes without a type end where a multiple of it does, such as a page
/// @param known      of this state
void bksi_state_name_plainly(const bks_state_names *names, const void *state, size_t count,
                             uint64_t offset, uint64_t run_bytes, bksi_place_known *known,
                             bks_map_place *out);

/// The bit to look at behind a place that holds `bit`; both are counted from the state's start.
/// Padding may end within a byte, so its last one is looked at bit by bit.
/// @return it, BKSI_STATE_NONE: the place has no end
uint64_t bksi_map_behind(const bks_map_place *place, uint64_t bit);

/// Whether two lookups found the same value or run of bytes.
bool bksi_map_is_same_place(const bks_map_place *a, const bks_map_place *b);

/// What one walk over a state continues from. Parts must be walked upwards.
typedef struct bksi_state_walk {
    const bks_state_names *names;
    const void *state;
    size_t count;           ///< of its bytes in use
    uint64_t lookups_left;  ///< values, and runs of other bytes, that may still be looked up
    uint32_t walks_max;     ///< how often all references of the state may be followed
    bksi_map_known mapped;  ///< what lookups before found out, with a map
    bksi_place_known plain; ///< and without
    bks_map_place before;   ///< the last place that was visited
} bksi_state_walk;

bksi_state_walk bksi_state_walk_begin(const bks_state_names *names, const void *state, size_t count,
                                      uint64_t lookups, uint32_t walks);

/// Visit all that lies in some bytes, even if in part. What an earlier part held is not visited
/// again.
/// @param begin, end  bytes from the state's start, at most its count
/// @return BKS_OK: all was visited, or visit ended the walk; BKS_OVER: the budget is used up
bks_status bksi_state_walk_part(bksi_state_walk *walk, uint64_t begin, uint64_t end,
                                bool (*visit)(void *context, const bks_map_place *place),
                                void *context);

#endif
