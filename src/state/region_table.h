// SPDX-License-Identifier: MIT

/// @file region_table.h
/// Which memory of this process is a region. A reference in a region must stay in it, and a pool
/// must be one of the region's arena: both are asked here when they are used, since the bytes that
/// say so may come from a file or a network.
///
/// A game's module may carry a copy of the library of its own (plugin.h). The copies share one
/// table, that of the program, by bks_library_join().
///
/// Thread rule: any thread, on its own regions. Beside the list of regions, which has a lock, the
/// table keeps two small caches of words that each say something whole and true by themselves, so
/// that asking again costs a few instructions and no lock.

#ifndef BKSI_REGION_TABLE_H
#define BKSI_REGION_TABLE_H

#include <stdatomic.h>

#include "backstitch/state.h"

/// Of what the copies of the library share; it goes up when a struct below changes.
#define BKSI_REGION_TABLE_VERSION 2u

/// Entries of the caches, powers of two.
#define BKSI_REGION_TABLE_CACHE      64u
#define BKSI_REGION_TABLE_POOLS_LOG2 10u
#define BKSI_REGION_TABLE_POOLS      (1u << BKSI_REGION_TABLE_POOLS_LOG2)

/// A function that is hardly ever called, kept out of the way of those that are.
#if defined(__GNUC__)
#define BKSI_RARE __attribute__((noinline, cold))
#else
#define BKSI_RARE
#endif
#if defined(__GNUC__) && !defined(_WIN32) // where nothing is visible that is not exported
#define BKSI_HIDDEN __attribute__((visibility("hidden")))
#else
#define BKSI_HIDDEN
#endif

/// A region, as the table knows it. Lives beside the region, not in it.
typedef struct bksi_region_entry {
    struct bksi_region_entry *next;
    uint8_t *bytes;         ///< the region's start
    size_t allocated_bytes; ///< whole pages
    size_t capacity_bytes;
    size_t root_bytes;   ///< 0: it has no arena
    uint8_t *pool_bits;  ///< one for each 16 bytes, lowest first: a pool of the arena begins there
    size_t marked_bytes; ///< of the region; no bit is set behind them
    size_t marked_pools; ///< bits that are set
} bksi_region_entry;

/// Bytes of the bits of a region that has allocated `allocated_bytes`.
static inline size_t bksi_pool_bits_bytes(size_t allocated_bytes)
{
    return allocated_bytes / 128;
}

struct bks_library {
    uint32_t version; ///< BKSI_REGION_TABLE_VERSION
    atomic_flag is_locked;
    _Atomic(bksi_region_entry *) first;
    /// By the 64 KiB that an address lies in: a region that reaches there, see region_table.c.
    _Atomic uint64_t spans[BKSI_REGION_TABLE_CACHE];
    /// By a hash of the address: one more than that of a pool found in the arena of its region.
    _Atomic uintptr_t pools[BKSI_REGION_TABLE_POOLS];
};

/// The one that this copy of the library uses; set once, before the copy is used.
extern BKSI_HIDDEN bks_library *bksi_region_table;

/// Add a region. Its bytes begin on a page; of its bits none is set.
void bksi_region_table_add(bksi_region_entry *entry);
/// Take it out, before its memory is given back.
void bksi_region_table_remove(bksi_region_entry *entry);

/// The bytes of a region are replaced: it has no pools until they are added or found again.
void bksi_region_table_forget_pools(bksi_region_entry *entry);
/// Whether the usable pools of its arena are exactly those that were added or found.
bool bksi_region_table_knows_pools(const bksi_region_entry *entry);
/// Add all usable pools of a region's arena, of bytes that were put into it and may be damaged.
void bksi_region_table_find_pools(bksi_region_entry *entry);
/// The usable pool behind one, of the first behind NULL.
/// @return NULL: there is none more
bks_pool *bksi_region_table_pool_behind(const bks_arena *arena, const bks_pool *pool);
/// Add a pool that was made in a region's arena.
void bksi_region_table_add_pool(const bks_pool *pool);

// A word of `spans` is a whole region: the number of its first page, and behind that one less than
// its pages. It is true as long as that region lives, and the last act of a region is to erase it;
// so a word that a thread reads and that covers an address of its own is true.
#define BKSI_SPAN_COUNT_BITS 18u // 1 GiB of pages

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

/// bksi_region_table_allows() where the region is not in the cache.
bool bksi_region_table_allows_after_all(const void *from, const void *to);

/// Whether both lie in one region that is in the cache.
static inline bool bksi_span_covers_both(const void *from, const void *to)
{
    const uint64_t span = atomic_load_explicit(bksi_span_near(from), memory_order_relaxed);
    return bksi_span_covers(span, from) && bksi_span_covers(span, to);
}

/// Whether both addresses lie in one region, or `from` in none.
static inline bool bksi_region_table_allows(const void *from, const void *to)
{
    return bksi_span_covers_both(from, to) || bksi_region_table_allows_after_all(from, to);
}

/// The region that an address lies in.
/// @return false: in none
bool bksi_region_table_find(const void *address, bksi_region_entry *out);

/// Source: Fibonacci hashing, D. Knuth, The Art of Computer Programming, volume 3, 6.4.
static inline _Atomic uintptr_t *bksi_pool_near(const bks_pool *pool)
{
    const uint32_t hash = (uint32_t)((uintptr_t)pool >> 4) * 2654435769u;
    return &bksi_region_table->pools[hash >> (32 - BKSI_REGION_TABLE_POOLS_LOG2)];
}

static inline bool bksi_pool_is_cached(const bks_pool *pool)
{
    return atomic_load_explicit(bksi_pool_near(pool), memory_order_relaxed) == (uintptr_t)pool + 1;
}

/// bksi_region_table_has_pool() where the pool is not in the cache.
bool bksi_region_table_has_pool_after_all(const bks_pool *pool);

/// Whether this is a pool of the arena of the region it lies in; NULL is none. Nothing is read at
/// the address itself.
static inline bool bksi_region_table_has_pool(const bks_pool *pool)
{
    return bksi_pool_is_cached(pool) || bksi_region_table_has_pool_after_all(pool);
}

/// Whether this is the arena of the region it lies in, and its header that of such an arena, with
/// all pools in the bytes in use.
bool bksi_region_table_has_arena(const bks_arena *arena);

#endif
