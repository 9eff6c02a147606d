// SPDX-License-Identifier: MIT

/// @file state_place.h
/// What comparing states and walking over one share: names without a map, and the way from one
/// place to the next.

#ifndef BKSI_STATE_PLACE_H
#define BKSI_STATE_PLACE_H

#include "backstitch/toolkit/state_map.h"
#include "state/place.h"

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

#endif
