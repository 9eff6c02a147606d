// SPDX-License-Identifier: MIT

/// @file arena_layout.h
/// Layout of an arena and its pools in a region. All of it is part of the state and is copied,
/// hashed and sent. So it holds offsets from the region's start instead of addresses, and all
/// padding has a name.

#ifndef BKSI_ARENA_LAYOUT_H
#define BKSI_ARENA_LAYOUT_H

#include "backstitch/state.h"

/// Number that marks an arena's header: the characters "BKARENA1" in little-endian bytes.
#define BKSI_ARENA_MAGIC UINT64_C(0x31414e4552414b42)
/// Number that marks a pool's header: the characters "BKSPOOL1" in little-endian bytes.
#define BKSI_POOL_MAGIC          UINT64_C(0x314c4f4f50534b42)
#define BKSI_POOL_ITEM_BYTES_MAX 1048576u
#define BKSI_POOL_NAME_BYTES     24u

/// Header of an arena. Its offset is the root's size rounded up to a multiple of 16.
struct bks_arena {
    uint64_t magic;
    uint64_t offset_bytes;   ///< offset of the arena's header from the region's start
    uint64_t used_bytes;     ///< number of bytes of the region in use, from its start
    uint64_t capacity_bytes; ///< size of the region in bytes
    /// Offset of the first pool from the region's start; 0: the arena has no pool.
    uint64_t first_pool_offset;
    /// Offset of the last pool from the region's start; 0: the arena has no pool.
    uint64_t last_pool_offset;
    uint64_t pool_count;
    uint64_t unused; ///< padding, so that the bytes after the header are aligned to 16
};

/// Link of the free list, and generation, of one slot.
typedef struct bksi_pool_slot {
    uint16_t generation;
    /// Index of the next free slot plus 1; 0 at the end of the list and while this slot is live.
    uint16_t next_free;
} bksi_pool_slot;

/// Header of a pool. Its slots, one live bit for each slot, and its items follow. Slots from
/// `fresh` on were never used, so an empty pool is all zero after its header.
struct bks_pool {
    uint64_t magic;
    /// Offset of the next pool from the region's start; 0: this is the last pool.
    uint64_t next_pool_offset;
    char name[BKSI_POOL_NAME_BYTES];
    uint64_t live_bits_at; ///< offset of the live bits from the pool's start; lowest bit first
    uint64_t items_at;     ///< offset of the items from the pool's start
    uint64_t item_bytes;   ///< size of an item in bytes, as requested
    uint64_t stride_bytes; ///< size of an item in bytes, rounded up to a multiple of 16
    uint64_t added;
    uint64_t removed;
    uint32_t capacity;
    uint32_t live;
    uint32_t fresh;      ///< number of slots used at least once
    uint32_t first_free; ///< index of the slot freed last, plus 1; 0: no slot is free
    uint32_t high_water;
    uint32_t baseline;
};

/// Return the offset of an arena: the first multiple of 16 at or after the root's end.
static inline uint64_t bksi_arena_place(uint64_t root_bytes)
{
    return (root_bytes + 15) / 16 * 16;
}

/// Return the arena of a region that has one, without any check.
static inline const bks_arena *bksi_arena_at(const void *region_bytes, size_t root_bytes)
{
    return (const void *)((const uint8_t *)region_bytes + bksi_arena_place(root_bytes));
}

/// Return the bytes in use of a region with an arena. The result is at least root and arena, and at
/// most the region, even if the header is damaged.
static inline size_t bksi_arena_used(const void *region_bytes, size_t root_bytes,
                                     size_t capacity_bytes)
{
    const uint64_t least = bksi_arena_place(root_bytes) + sizeof(bks_arena);
    const uint64_t used = bksi_arena_at(region_bytes, root_bytes)->used_bytes;
    return used < least ? (size_t)least : used < capacity_bytes ? (size_t)used : capacity_bytes;
}

/// Return the header of a pool of `item_bytes` and `capacity`, both in range, with all sizes set.
bks_pool bksi_pool_planned(uint64_t item_bytes, uint32_t capacity);

/// Return the bytes of a pool, from its start to its end.
uint64_t bksi_pool_total_bytes(const bks_pool *pool);

/// Return true if the functions of a pool can trust its header, whatever its slots and items hold:
/// the live bits, slots and items are at their planned offsets, within `room_bytes` from the pool's
/// start, and the counts are in range. No function of a pool makes a usable header unusable.
bool bksi_pool_is_usable(const bks_pool *pool, uint64_t room_bytes);

// Functions that read an arena and its pools in a state from a file or another machine. They trust
// nothing in the state, and it need not be aligned.

/// Bytes of a state that is read, and the header of its arena. Before a scan set only `bytes` and
/// `count`.
typedef struct bksi_arena_scan {
    const uint8_t *bytes;
    uint64_t count;
    bks_arena arena; ///< copy of the arena's header
    bool has_arena;
} bksi_arena_scan;

/// Read the arena whose header is at offset `at`.
/// @return true if there is an arena; `has_arena` is set to the same
bool bksi_arena_scan_at(bksi_arena_scan *scan, uint64_t at);

/// Search for the arena: its header follows a root of unknown size, at a multiple of 16, and holds
/// its own offset. Return true if it was found.
bool bksi_arena_scan_search(bksi_arena_scan *scan);

/// Return true if there is a pool at offset `at`, completely within the state.
/// @param out  receives the pool's header, with a printable name
bool bksi_arena_scan_pool(const bksi_arena_scan *scan, uint64_t at, bks_pool *out);

/// Walk over the pools of an arena in rising order. The walk stops at an offset where there is no
/// pool, or which is not after the end of the previous pool. So the walk ends whatever the state
/// holds.
///
///     bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
///     while (bksi_pool_walk_next(&scan, &walk)) { walk.pool lies at walk.at … }
typedef struct bksi_pool_walk {
    uint64_t at;      ///< offset of the pool from the state's start
    uint64_t end;     ///< end of the pool; before the first pool, the end of the arena's header
    uint64_t next_at; ///< offset of the next pool as the state gives it, possibly wrong
    bks_pool pool;    ///< header of the pool
} bksi_pool_walk;

/// Begin a walk before the first pool.
/// @param scan  must have found an arena
bksi_pool_walk bksi_pool_walk_begin(const bksi_arena_scan *scan);
/// Move a walk to the next pool.
/// @return false if there is no further pool
bool bksi_pool_walk_next(const bksi_arena_scan *scan, bksi_pool_walk *walk);

/// Return the generation of a slot of a pool that bksi_arena_scan_pool() found at `at`.
/// @param out_is_live  receives true if the item is live
uint16_t bksi_arena_scan_slot(const bksi_arena_scan *scan, uint64_t at, const bks_pool *pool,
                              uint32_t slot, bool *out_is_live);

#endif
