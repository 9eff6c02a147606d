// SPDX-License-Identifier: MIT

/// @file state_walk.h
/// Walks over parts of a state, with a limited budget.

#ifndef BKSI_STATE_WALK_H
#define BKSI_STATE_WALK_H

#include "backstitch/toolkit/state_map.h"

#include "game/map_block.h"
#include "state/place.h"

// Functions that comparisons and walks share: names without a map, and the way from one place to
// the next.

/// Value that means "no bit" or "no byte".
#define BKSI_STATE_NONE UINT64_MAX

/// Check that a game's named ranges are given, and are not too many.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_state_names_check(const bks_state_names *names, const char *call);

/// Name a byte without a map, as bks_state_find() does.
/// @param run_bytes  size, such as that of a page: runs of untyped bytes are cut at multiples of
///                   it; UINT64_MAX: they are not cut
/// @param known      cache for the same state
void bksi_state_name_plainly(const bks_state_names *names, const void *state, size_t count,
                             uint64_t offset, uint64_t run_bytes, bksi_place_known *known,
                             bks_map_place *out);

/// Return the next bit to examine after a place that holds `bit`. Bits are counted from the state's
/// start. Padding may end within a byte, so the last byte of padding is examined bit by bit.
/// @return the next bit; BKSI_STATE_NONE if the place reaches to the end of the state
uint64_t bksi_map_behind(const bks_map_place *place, uint64_t bit);

/// Return true if two lookups found the same value or run of bytes.
bool bksi_map_is_same_place(const bks_map_place *a, const bks_map_place *b);

/// Progress of a walk over a state. Parts must be walked in rising order.
typedef struct bksi_state_walk {
    const bks_state_names *names;
    const void *state;
    size_t count;           ///< number of bytes of the state in use
    uint64_t lookups_left;  ///< number of lookups that the walk may still make
    uint32_t walks_max;     ///< most walks over all references of the state
    bksi_map_known mapped;  ///< cache for lookups with a map
    bksi_place_known plain; ///< cache for lookups without a map
    bks_map_place before;   ///< place that was visited last
} bksi_state_walk;

bksi_state_walk bksi_state_walk_begin(const bks_state_names *names, const void *state, size_t count,
                                      uint64_t lookups, uint32_t walks);

/// Visit all places in a range of bytes, partial ones included. Places of earlier parts are not
/// visited again.
/// @param begin, end  offsets from the state's start, at most the state's size
/// @return BKS_OK if all places were visited, or `visit` ended the walk; BKS_OVER if the budget is
///         used up
bks_status bksi_state_walk_part(bksi_state_walk *walk, uint64_t begin, uint64_t end,
                                bool (*visit)(void *context, const bks_map_place *place),
                                void *context);

#endif
