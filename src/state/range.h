// SPDX-License-Identifier: MIT

/// @file range.h
/// What the bytes of a state are called.

#ifndef BKSI_RANGE_H
#define BKSI_RANGE_H

#include "backstitch/state.h"

/// Whether a range has bytes, and ends within the largest state there can be.
bool bksi_range_is_sound(const bks_state_range *range);

/// Check a game's ranges: each has a name, elements, and an end within 1 GiB.
/// @param call  the public function, for the error
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names "ranges" or "range_count")
bks_status bksi_ranges_check(const bks_state_range *ranges, uint32_t count, const char *call,
                             bks_error *error);

#endif
