// SPDX-License-Identifier: MIT

/// @file map_block.h
/// Finds blocks of the arena by the references that lead to them.

#ifndef BKSI_MAP_BLOCK_H
#define BKSI_MAP_BLOCK_H

#include "backstitch/toolkit/state_map.h"
#include "state/arena_scan.h"

/// Memory of the arena that a reference leads to.
typedef struct bksi_map_block {
    uint64_t begin_bytes; ///< from the state's start
    uint32_t type;        ///< of its elements, 0: not known
    uint32_t count;       ///< of them, 0: not known
    char name[112];       ///< that of the reference
    uint64_t from_bytes;  ///< end of the nearest block in it before the byte, at least begin_bytes
    uint64_t next_bytes;  ///< its own end or the begin of the nearest other block behind the byte,
                          ///< whichever comes first; UINT64_MAX: none
    uint64_t same_begin_bytes; ///< all bytes from this one
    uint64_t same_end_bytes;   ///< up to this one have this block
} bksi_map_block;

/// Find the block that a byte belongs to.
///
/// Of references that say how much they lead to, the one that begins first and covers the byte has
/// the block, of two the larger. What leads into it, to a value that it holds there, has nothing;
/// what leads to a value that it cannot hold there begins a block within it. Where none covers the
/// byte, the block is that of the nearest reference before it.
/// @param floor   a reference to a byte before this one is passed over: pools lie between
/// @param offset  of a byte in the arena that belongs to no pool
/// @param out     without a block, the last four are written alone
/// @return false: none does
bool bksi_map_find_block(const bks_state_map *map, const bksi_arena_scan *scan, uint64_t floor,
                         uint64_t offset, bksi_map_block *out);

#endif
