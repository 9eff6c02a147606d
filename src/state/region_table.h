// SPDX-License-Identifier: MIT

/// @file region_table.h
/// Table of the memory in this process that belongs to regions. A reference must stay in its
/// region, and a pool must belong to the region's arena. Both are checked at each use, because
/// their bytes may come from a file or a network.
///
/// A plug-in may contain its own copy of the library (plugin.h). The copies share the table of the
/// program, by bks_library_join().
///
/// Thread rule: any thread, on its own regions. The list of regions has a lock. Two small caches of
/// words, each valid by itself, make repeated checks cost a few instructions without a lock.

#ifndef BKSI_REGION_TABLE_H
#define BKSI_REGION_TABLE_H

#include <stdatomic.h>

#include "backstitch/state.h"

/// Version of the struct that copies of the library share; raise it when a struct below changes.
#define BKSI_REGION_TABLE_VERSION 2u

/// Numbers of entries of the caches, powers of two.
#define BKSI_REGION_TABLE_CACHE      64u
#define BKSI_REGION_TABLE_POOLS_LOG2 10u
#define BKSI_REGION_TABLE_POOLS      (1u << BKSI_REGION_TABLE_POOLS_LOG2)

/// Mark a rarely called function, so that the compiler keeps it away from frequent ones.
#if defined(__GNUC__)
#define BKSI_RARE __attribute__((noinline, cold))
#else
#define BKSI_RARE
#endif
#if defined(__GNUC__) && !defined(_WIN32) // systems on which unexported names can be hidden
#define BKSI_HIDDEN __attribute__((visibility("hidden")))
#else
#define BKSI_HIDDEN
#endif

/// Entry of a region in the table, stored beside the region, not in it.
typedef struct bksi_region_entry {
    struct bksi_region_entry *next;
    uint8_t *bytes;         ///< start of the region
    size_t allocated_bytes; ///< size rounded up to whole pages
    size_t capacity_bytes;
    size_t root_bytes; ///< size of the root; 0: the region has no arena
    /// One bit for each 16 bytes of the region, lowest first; 1: a pool begins there.
    uint8_t *pool_bits;
    size_t marked_bytes; ///< no pool begins after this many bytes of the region
    size_t marked_pools; ///< number of bits in `pool_bits` that are 1
} bksi_region_entry;

/// Return the size of the pool bits of a region with `allocated_bytes`.
static inline size_t bksi_pool_bits_bytes(size_t allocated_bytes)
{
    return allocated_bytes / 128;
}

struct bks_library {
    uint32_t version; ///< version of this struct: BKSI_REGION_TABLE_VERSION
    atomic_flag is_locked;
    _Atomic(bksi_region_entry *) first;
    /// Cache of regions, indexed by 64 KiB pieces of address space: an entry describes a region
    /// that overlaps the piece, see region_table.c.
    _Atomic uint64_t spans[BKSI_REGION_TABLE_CACHE];
    /// Cache of pools, indexed by a hash of the pool's address: an entry is the address, plus one,
    /// of a pool that was found in the arena of its region.
    _Atomic uintptr_t pools[BKSI_REGION_TABLE_POOLS];
};

/// Table of regions that this copy of the library uses; set once, before the copy is used.
extern BKSI_HIDDEN bks_library *bksi_region_table;

/// Add a region. The region begins on a page, and none of its pool bits is set.
void bksi_region_table_add(bksi_region_entry *entry);
/// Remove a region before its memory is freed.
void bksi_region_table_remove(bksi_region_entry *entry);

/// Clear the pool bits of a region whose bytes are replaced; its pools must be added or found
/// again.
void bksi_region_table_forget_pools(bksi_region_entry *entry);
/// Return true if the pool bits of the entry mark exactly the usable pools of the region's arena.
bool bksi_region_table_knows_pools(const bksi_region_entry *entry);
/// Add all usable pools of an arena whose bytes came from a file or a network and may be damaged.
void bksi_region_table_find_pools(bksi_region_entry *entry);
/// Return the next usable pool after `pool`, or the first one if `pool` is NULL.
/// @return NULL if there is no such pool
bks_pool *bksi_region_table_pool_behind(const bks_arena *arena, const bks_pool *pool);
/// Add a pool that was made in a region's arena.
void bksi_region_table_add_pool(const bks_pool *pool);

// A word of `spans` describes a whole region: the number of its first page, then the number of its
// pages less one. When a region is removed from the table, its words are erased. So a word that
// covers an address in a region that the reading thread still uses is valid.
#define BKSI_SPAN_COUNT_BITS 18u // enough for 1 GiB of pages

static inline bool bksi_span_covers(uint64_t span, const void *address)
{
    const uint64_t begin = span >> BKSI_SPAN_COUNT_BITS << 12;
    const uint64_t pages = (span & ((UINT64_C(1) << BKSI_SPAN_COUNT_BITS) - 1)) + 1;
    return (uint64_t)(uintptr_t)address - begin < pages << 12;
}

static inline _Atomic uint64_t *bksi_span_near(const void *address)
{
    return &bksi_region_table->spans[(uintptr_t)address >> 16 & (BKSI_REGION_TABLE_CACHE - 1)];
}

/// Check like bksi_region_table_allows() for a region that is not in the cache.
bool bksi_region_table_allows_after_all(const void *from, const void *to);

/// Return true if both addresses are in one region that is in the cache.
static inline bool bksi_span_covers_both(const void *from, const void *to)
{
    const uint64_t span = atomic_load_explicit(bksi_span_near(from), memory_order_relaxed);
    return bksi_span_covers(span, from) && bksi_span_covers(span, to);
}

/// Return true if both addresses are in one region, or `from` is in none.
static inline bool bksi_region_table_allows(const void *from, const void *to)
{
    return bksi_span_covers_both(from, to) || bksi_region_table_allows_after_all(from, to);
}

/// Find the region that holds an address.
/// @return false if no region holds the address
bool bksi_region_table_find(const void *address, bksi_region_entry *out);

/// Return the cache entry of a pool. Source: Fibonacci hashing, D. Knuth, The Art of Computer
/// Programming, volume 3, 6.4.
static inline _Atomic uintptr_t *bksi_pool_near(const bks_pool *pool)
{
    const uint32_t hash = (uint32_t)((uintptr_t)pool >> 4) * 2654435769u;
    return &bksi_region_table->pools[hash >> (32 - BKSI_REGION_TABLE_POOLS_LOG2)];
}

static inline bool bksi_pool_is_cached(const bks_pool *pool)
{
    return atomic_load_explicit(bksi_pool_near(pool), memory_order_relaxed) == (uintptr_t)pool + 1;
}

/// Check like bksi_region_table_has_pool() for a pool that is not in the cache.
bool bksi_region_table_has_pool_after_all(const bks_pool *pool);

/// Return true if `pool` is a pool of the arena of the region that holds it; false for NULL. The
/// pool itself is not read.
static inline bool bksi_region_table_has_pool(const bks_pool *pool)
{
    return bksi_pool_is_cached(pool) || bksi_region_table_has_pool_after_all(pool);
}

/// Return true if `arena` is the arena of the region that holds it, with a valid header and all
/// pools within the bytes in use.
bool bksi_region_table_has_arena(const bks_arena *arena);

#endif
