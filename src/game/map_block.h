// SPDX-License-Identifier: MIT

/// @file map_block.h
/// Blocks of the arena, found by the references that lead to them, and names made of members.

#ifndef BKSI_MAP_BLOCK_H
#define BKSI_MAP_BLOCK_H

#include "backstitch/toolkit/state_map.h"

#include "state/arena_layout.h"

/// Structs and unions hold others, in further members.
bool bksi_map_is_aggregate(const bks_map_type *type);

/// Elements of a member, 1 when it is no array.
uint64_t bksi_map_elements(const bks_map_member *member);

/// Add text to a name of `capacity` bytes; what does not fit is cut.
void bksi_map_add(char *name, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

/// Add a member's name, behind a dot where something stands before it, and the indices of an
/// element.
void bksi_map_add_member(char *name, size_t capacity, const bks_map_member *member,
                         uint64_t element);

/// Type of the items of a pool, UINT32_MAX: the map has none of their size.
uint32_t bksi_map_pool_type(const bks_state_map *map, const bks_pool *pool);

/// Read a number of 1..8 bytes that need not be aligned.
uint64_t bksi_map_number(const uint8_t *bytes, uint64_t count);

/// A number of 1..64 bits as a signed one.
int64_t bksi_map_signed(uint64_t number, uint64_t bits);

/// Read the bits of a bit-field, lowest first; `bytes` are those where it begins.
uint64_t bksi_map_bits(const uint8_t *bytes, const bks_map_place *place);

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

/// A reference that leads into the arena, and not to a pool.
typedef struct bksi_map_ref {
    uint64_t begin_bytes; ///< what it leads to, from the state's start
    uint32_t type;        ///< of the elements there, 0: not known
    uint32_t count;       ///< of them, 0: not known
    uint32_t number;      ///< in the order of the walk, from 1; the same in each walk of a state
} bksi_map_ref;

/// A walk over references.
typedef struct bksi_map_refs bksi_map_refs;

/// Write the name of the reference that is visited.
void bksi_map_refs_name(const bksi_map_refs *refs, char *name, size_t capacity);

// Looks up many bytes of one state: what was found out by following references, and by going over
// the pools, is used again.

/// The block that the last lookup found by following references, and the pools before it: lookups
/// upwards go over the pools once. Start from {0}.
typedef struct bksi_map_known {
    bool is_found;        ///< false: the bytes that `block` says belong to none
    bksi_map_block block; ///< of its same_begin_bytes up to same_end_bytes
    uint32_t walks;       ///< how often references were followed
    bool has_pools;       ///< `pools` stands somewhere
    bksi_pool_walk pools; ///< over the pools before the last byte that was looked up
} bksi_map_known;

/// As bks_state_map_find(), of arguments that are right.
/// @param known  of this state and map; NULL: nothing is
void bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                         uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                         bks_map_place *out);

#endif
