// SPDX-License-Identifier: MIT

/// @file map_block.h
/// Finds blocks of the arena by the references that lead to them.

#ifndef BKSI_MAP_BLOCK_H
#define BKSI_MAP_BLOCK_H

#include "backstitch/state_map.h"
#include "state/arena_scan.h"

/// Memory of the arena that a reference leads to.
typedef struct bksi_map_block {
    uint64_t begin_bytes; ///< from the state's start
    uint32_t type;        ///< of its elements, 0: not known
    uint32_t count;       ///< of them, 0: not known
    char name[112];       ///< that of the reference
    uint64_t next_bytes;  ///< begin of the nearest block behind the byte, UINT64_MAX: none
} bksi_map_block;

/// Find the block that begins nearest before a byte: references in the root, in live items and in
/// other blocks lead to it.
/// @param offset  of a byte in the arena that belongs to no pool
/// @param out     without a block, `next_bytes` alone is written
/// @return false: none does
bool bksi_map_find_block(const bks_state_map *map, const bksi_arena_scan *scan, uint64_t offset,
                         bksi_map_block *out);

#endif
