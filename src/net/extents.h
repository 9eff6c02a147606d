// SPDX-License-Identifier: MIT

/// @file extents.h
/// A set of positions in a stream, stored as a few ranges in order. Its size is fixed: a change
/// that would need one range too many is refused.

#ifndef BKSI_EXTENTS_H
#define BKSI_EXTENTS_H

#include "backstitch/base.h"

#define BKSI_EXTENTS_MAX 64u

/// Bytes from `begin` to before `end`.
typedef struct bksi_extent {
    uint64_t begin;
    uint64_t end;
} bksi_extent;

/// Ranges in order, with a gap between each two.
typedef struct bksi_extents {
    uint32_t count;
    bksi_extent extents[BKSI_EXTENTS_MAX];
} bksi_extents;

/// Add the bytes from `begin` to before `end`, even if some are in the set already.
/// @return false if there is no room for one more range
bool bksi_extents_add(bksi_extents *extents, uint64_t begin, uint64_t end);

/// Remove the bytes from `begin` to before `end` from the set.
/// @return false if there is no room for one more range
bool bksi_extents_remove(bksi_extents *extents, uint64_t begin, uint64_t end);

/// Return true if all bytes from `begin` to before `end` are in the set.
bool bksi_extents_has(const bksi_extents *extents, uint64_t begin, uint64_t end);

#endif
