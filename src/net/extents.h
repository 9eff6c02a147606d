// SPDX-License-Identifier: MIT

/// @file extents.h
/// A set of places in a stream, kept as few extents, in order. Its size is fixed: what would need
/// one extent more is refused, and nothing changes.

#ifndef BKSI_EXTENTS_H
#define BKSI_EXTENTS_H

#include "backstitch/base.h"

#define BKSI_EXTENTS_MAX 64u

/// Bytes from `begin` to before `end`.
typedef struct bksi_extent {
    uint64_t begin;
    uint64_t end;
} bksi_extent;

/// In order; between two of them something is missing.
typedef struct bksi_extents {
    uint32_t count;
    bksi_extent extents[BKSI_EXTENTS_MAX];
} bksi_extents;

/// Add bytes; those that are there already may be among them. Nothing is added when there are none.
/// @return false when there is no room for one extent more
bool bksi_extents_add(bksi_extents *extents, uint64_t begin, uint64_t end);

/// Take bytes out, if they are there.
/// @return false when there is no room for one extent more
bool bksi_extents_remove(bksi_extents *extents, uint64_t begin, uint64_t end);

/// Whether all of these bytes are there.
bool bksi_extents_has(const bksi_extents *extents, uint64_t begin, uint64_t end);

#endif
