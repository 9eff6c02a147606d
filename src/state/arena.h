// SPDX-License-Identifier: MIT

/// @file arena.h
/// How an arena and its pools lie in a region. All of it is part of the state: it is copied, hashed
/// and sent, so it holds offsets from the region's start and never an address, and every byte of
/// padding has a name.

#ifndef BKSI_ARENA_H
#define BKSI_ARENA_H

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

/// Header of a pool of `item_bytes` and `capacity`, both in range, all its sizes filled in.
bks_pool bksi_pool_planned(uint64_t item_bytes, uint32_t capacity);

/// Bytes from the pool's start to its end.
uint64_t bksi_pool_total_bytes(const bks_pool *pool);

/// What is wrong with a pool whose bytes may be hostile: NULL when no call on it can touch a byte
/// outside `room_bytes` from its start.
/// @param out_offset  receives where, from the pool's start; written only when something is wrong
const char *bksi_pool_fault(const bks_pool *pool, uint64_t room_bytes, uint64_t *out_offset);

/// Whether an address is the start of a live item of a sound pool.
bool bksi_pool_has_item(const bks_pool *pool, const void *item);

/// Bytes that a root of `root_bytes` and an empty arena take.
size_t bksi_arena_used_at_start(size_t root_bytes);

/// Make an empty arena in a zeroed region with room for it.
void bksi_arena_init(void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// The arena of a region that has one, unchecked: at the first multiple of 16 behind the root.
static inline const bks_arena *bksi_arena_at(const void *region_bytes, size_t root_bytes)
{
    return (const void *)((const uint8_t *)region_bytes + (root_bytes + 15) / 16 * 16);
}

/// Whether the header is still there and what lies between it and the root is still zero: cheap,
/// and enough to see that the root was written past its end.
bool bksi_arena_has_head(const void *region_bytes, size_t root_bytes, size_t capacity_bytes);

/// What is wrong with an arena whose bytes may be hostile: NULL when it is the one that
/// bksi_arena_init() makes, grown to `used_bytes`, and all its pools are sound. `used_bytes` of the
/// bytes are there.
/// @param out_offset  receives where, from the region's start; written only when something is wrong
const char *bksi_arena_fault(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                             size_t used_bytes, uint64_t *out_offset);

/// Whether a byte of a sound region belongs to the arena's header or to what a pool keeps beside
/// its items.
bool bksi_arena_is_bookkeeping(const void *region_bytes, size_t root_bytes, size_t offset);

/// Whether `count` bytes of a sound region, all in use, are what bks_arena_alloc() gives to games:
/// none of the root, the arena's header and its pools.
bool bksi_arena_is_game_memory(const void *region_bytes, size_t root_bytes, uint64_t offset,
                               uint64_t count);

#endif
