// SPDX-License-Identifier: MIT

/// @file map_block.h
/// Blocks of the arena, found through the references that lead to them, and names built from
/// members.

#ifndef BKSI_MAP_BLOCK_H
#define BKSI_MAP_BLOCK_H

#include "backstitch/toolkit/state_map.h"

#include "state/arena_layout.h"

/// Return true if a type has members: a struct or union.
bool bksi_map_is_aggregate(const bks_map_type *type);

/// Return the number of elements of a member, 1 if the member is no array.
uint64_t bksi_map_elements(const bks_map_member *member);

/// Append text to a name of `capacity` bytes; cut what does not fit.
void bksi_map_add(char *name, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

/// Append a member's name, after a dot unless it comes first, and the indices of an element.
void bksi_map_add_member(char *name, size_t capacity, const bks_map_member *member,
                         uint64_t element);

/// Return the type of a pool's items, UINT32_MAX if the map has no type for them.
uint32_t bksi_map_pool_type(const bks_state_map *map, const bks_pool *pool);

/// Read a number of 1..8 bytes that need not be aligned.
uint64_t bksi_map_number(const uint8_t *bytes, uint64_t count);

/// Sign-extend a number of 1..64 bits.
int64_t bksi_map_signed(uint64_t number, uint64_t bits);

/// Read the number in a bit-field, lowest bit first. The bit-field begins in the first of `bytes`.
uint64_t bksi_map_bits(const uint8_t *bytes, const bks_map_place *place);

/// Memory of the arena that a reference leads to.
typedef struct bksi_map_block {
    uint64_t begin_bytes; ///< offset of the block from the state's start
    uint32_t type;        ///< type of the block's elements, 0: unknown
    uint32_t count;       ///< number of the block's elements, 0: unknown
    char name[112];       ///< name of the reference that leads to the block
    /// End of the nearest inner block before the byte that was looked up, at least begin_bytes.
    uint64_t from_bytes;
    /// End of this block, or start of the next block after the byte that was looked up, whichever
    /// comes first; UINT64_MAX: none.
    uint64_t next_bytes;
    uint64_t same_begin_bytes; ///< first byte for which a lookup finds this block and bounds
    uint64_t same_end_bytes;   ///< end of the bytes for which a lookup finds this block and bounds
} bksi_map_block;

/// Find the block that a byte belongs to.
///
/// If references with a known size cover the byte, the byte belongs to the one that begins first;
/// of two with the same begin, to the larger one. A reference to a value inside that block is
/// ignored. Any other reference into the block begins a block within it. If no reference covers the
/// byte, the byte belongs to the nearest reference before it.
/// @param floor   ignore references to bytes before this offset, because pools lie between them and
///                the byte
/// @param offset  byte of the arena that belongs to no pool
/// @param out     if there is no block, only the last four fields are written
/// @return false if no reference leads to the byte
bool bksi_map_find_block(const bks_state_map *map, const bksi_arena_scan *scan, uint64_t floor,
                         uint64_t offset, bksi_map_block *out);

/// A reference into the arena that does not lead to a pool.
typedef struct bksi_map_ref {
    uint64_t begin_bytes; ///< offset of the reference's target from the state's start
    uint32_t type;        ///< type of the target's elements, 0: unknown
    uint32_t count;       ///< number of the target's elements, 0: unknown
    /// Number in the order of the walk, from 1; the same in each walk of a state.
    uint32_t number;
} bksi_map_ref;

/// Walk over all references of a state.
typedef struct bksi_map_refs bksi_map_refs;

/// Write the name of the visited reference.
void bksi_map_refs_name(const bksi_map_refs *refs, char *name, size_t capacity);

// Cache for many lookups in one state, which avoids most walks over references and pools.

/// The block found by the last lookup, and the position among the pools. Lookups of rising offsets
/// walk over the pools only once. Start from {0}.
typedef struct bksi_map_known {
    bool is_found; ///< false: no block was found, and only the bounds in `block` are valid
    /// Block of the last lookup, valid for bytes from same_begin_bytes to same_end_bytes.
    bksi_map_block block;
    uint32_t walks;       ///< number of walks over all references so far
    bool has_pools;       ///< true if `pools` is valid
    bksi_pool_walk pools; ///< walk over the pools, up to the last byte looked up
} bksi_map_known;

/// Name a byte as bks_state_map_find() does. The arguments must be valid.
/// @param known  cache for the same state and map; NULL: none
void bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                         uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                         bks_map_place *out);

#endif
