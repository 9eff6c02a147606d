// SPDX-License-Identifier: MIT

/// @file arena_layout.h
/// How an arena and its pools lie in a region. All of it is part of the state: it is copied, hashed
/// and sent, so it holds offsets from the region's start and never an address, and every byte of
/// padding has a name.

#ifndef BKSI_ARENA_LAYOUT_H
#define BKSI_ARENA_LAYOUT_H

#include "backstitch/state.h"

#define BKSI_ARENA_MAGIC         UINT64_C(0x31414e4552414b42) ///< "BKARENA1" in little-endian bytes
#define BKSI_POOL_MAGIC          UINT64_C(0x314c4f4f50534b42) ///< "BKSPOOL1"
#define BKSI_POOL_ITEM_BYTES_MAX 1048576u
#define BKSI_POOL_NAME_BYTES     24u

/// Lies at the root's size rounded up to 16.
struct bks_arena {
    uint64_t magic;
    uint64_t offset_bytes;      ///< of this header; the region starts that far before it
    uint64_t used_bytes;        ///< of the region, from its start
    uint64_t capacity_bytes;    ///< of the region
    uint64_t first_pool_offset; ///< 0 is none
    uint64_t last_pool_offset;  ///< 0 is none
    uint64_t pool_count;
    uint64_t unused; ///< keeps what follows aligned to 16
};

/// Free list and generation of one slot.
typedef struct bksi_pool_slot {
    uint16_t generation;
    uint16_t next_free; ///< slot + 1; 0 is the end. 0 while the slot is live.
} bksi_pool_slot;

/// Header of a pool. Behind it lie its slots, one live bit for each slot, and its items.
/// Slots from `fresh` on were never used, so an empty pool is all zero behind its header.
struct bks_pool {
    uint64_t magic;
    uint64_t next_pool_offset; ///< 0 is the end
    char name[BKSI_POOL_NAME_BYTES];
    uint64_t live_bits_at; ///< from the pool's start: uint64_t words, lowest bit first
    uint64_t items_at;     ///< from the pool's start
    uint64_t item_bytes;   ///< as asked for
    uint64_t stride_bytes; ///< rounded up to 16
    uint64_t added;
    uint64_t removed;
    uint32_t capacity;
    uint32_t live;
    uint32_t fresh;      ///< slots used at least once
    uint32_t first_free; ///< slot + 1, last in first out; 0 is none
    uint32_t high_water;
    uint32_t baseline;
};

/// Where the arena lies: at the first multiple of 16 behind the root.
static inline uint64_t bksi_arena_place(uint64_t root_bytes)
{
    return (root_bytes + 15) / 16 * 16;
}

/// The arena of a region that has one, unchecked.
static inline const bks_arena *bksi_arena_at(const void *region_bytes, size_t root_bytes)
{
    return (const void *)((const uint8_t *)region_bytes + bksi_arena_place(root_bytes));
}

/// Bytes in use of a region with an arena, however damaged its header is: at least those of root
/// and arena, at most all.
static inline size_t bksi_arena_used(const void *region_bytes, size_t root_bytes,
                                     size_t capacity_bytes)
{
    const uint64_t least = bksi_arena_place(root_bytes) + sizeof(bks_arena);
    const uint64_t used = bksi_arena_at(region_bytes, root_bytes)->used_bytes;
    return used < least ? (size_t)least : used < capacity_bytes ? (size_t)used : capacity_bytes;
}

/// Header of a pool of `item_bytes` and `capacity`, both in range, all its sizes filled in.
bks_pool bksi_pool_planned(uint64_t item_bytes, uint32_t capacity);

/// Bytes from the pool's start to its end.
uint64_t bksi_pool_total_bytes(const bks_pool *pool);

/// Whether the calls on a pool can trust its header, whatever its slots and items hold: its parts
/// lie where they should, within `room_bytes` from its start, and its counts are not beyond them.
/// These calls keep that true.
bool bksi_pool_is_usable(const bks_pool *pool, uint64_t room_bytes);

// Reads the arena and the pools of a state that may come from anywhere: nothing in it is believed,
// and it need not be aligned.

/// Bytes of a state with the arena's header in it. Start with bytes and count.
typedef struct bksi_arena_scan {
    const uint8_t *bytes;
    uint64_t count;
    bks_arena arena; ///< a copy of its header
    bool has_arena;
} bksi_arena_scan;

/// Read the arena whose header lies at `at`.
/// @return whether it is there, as `has_arena`
bool bksi_arena_scan_at(bksi_arena_scan *scan, uint64_t at);

/// Look for the arena: it stands behind a root of unknown size, at a multiple of 16, and holds its
/// own place.
bool bksi_arena_scan_search(bksi_arena_scan *scan);

/// Whether a pool stands at `at`, all of it within the state.
/// @param out  receives its header, with a printable name
bool bksi_arena_scan_pool(const bksi_arena_scan *scan, uint64_t at, bks_pool *out);

/// Goes over the pools of an arena from the lowest up. It ends at the first that is none, or that
/// does not lie behind the one before it: so it ends whatever the state says.
///
///     bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
///     while (bksi_pool_walk_next(&scan, &walk)) { walk.pool lies at walk.at … }
typedef struct bksi_pool_walk {
    uint64_t at;      ///< of the pool, from the state's start
    uint64_t end;     ///< one past it; before the first pool one past the arena's header
    uint64_t next_at; ///< of the next one, as the state says
    bks_pool pool;    ///< its header
} bksi_pool_walk;

/// @param scan  with an arena
bksi_pool_walk bksi_pool_walk_begin(const bksi_arena_scan *scan);
/// @return false: there is none more
bool bksi_pool_walk_next(const bksi_arena_scan *scan, bksi_pool_walk *walk);

/// Generation of a slot of a pool that bksi_arena_scan_pool() found at `at`.
/// @param out_is_live  receives whether the item is live
uint16_t bksi_arena_scan_slot(const bksi_arena_scan *scan, uint64_t at, const bks_pool *pool,
                              uint32_t slot, bool *out_is_live);

#endif
