// SPDX-License-Identifier: MIT

/// @file state_walk.h
/// Walks over parts of one state, within a budget.

#ifndef BKSI_STATE_WALK_H
#define BKSI_STATE_WALK_H

#include "game/map_find.h"
#include "game/state_place.h"

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
