// SPDX-License-Identifier: MIT

/// @file region.h
/// The one block of memory that holds a game's state: page-aligned, zeroed, library-owned.
/// Bytes beyond `used` are always zero, so only the part in use is ever copied or hashed.

#ifndef BKSI_REGION_H
#define BKSI_REGION_H

#include "backstitch/state.h"
#include "base/memory.h"
#include "state/region_table.h"

/// Most bytes behind the region's end that a step is watched by: those left of its last page.
#define BKSI_CANARY_BYTES 16u

typedef struct bksi_region {
    uint8_t *bytes;           ///< page-aligned, between two guard pages
    size_t capacity_bytes;    ///< as asked for
    size_t allocated_bytes;   ///< rounded up to whole pages
    size_t root_bytes;        ///< above 0: an arena follows the root
    uint8_t *page_hash_bytes; ///< room for every page's hash, so that hashing allocates nothing
    bksi_region_entry *entry; ///< in the table of regions
    bks_allocator allocator;
    bool is_watched; ///< a canary stands behind the end
    bool has_head;   ///< when last looked at the arena's header was whole
} bksi_region;

/// Least capacity of a region with a root of `root_bytes` and an arena behind it.
size_t bksi_region_bytes_min(size_t root_bytes);

/// Make a region of `capacity_bytes`, all zero, its arena made when root_bytes is above 0.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG (no room for root and arena)
bks_status bksi_region_create(bksi_region *region, size_t capacity_bytes, size_t root_bytes,
                              const bks_allocator *allocator, bks_error *error);
void bksi_region_destroy(bksi_region *region);

/// All zero again, the arena made anew.
void bksi_region_reset(bksi_region *region);

/// Before a step: set up what shows that it wrote past the end of its memory. Hashes do not see it.
void bksi_region_watch(bksi_region *region);

/// After it: take that away, so that all behind the end is zero again.
/// @return what was written past, "root struct" or "state"; NULL when nothing was
const char *bksi_region_unwatch(bksi_region *region);

/// Bytes in use: the arena's, or the whole region when there is none.
size_t bksi_region_used(const bksi_region *region);

/// Pages that `used_bytes` take.
static inline size_t bksi_pages(size_t used_bytes)
{
    return (used_bytes + BKSI_PAGE_BYTES - 1) / BKSI_PAGE_BYTES;
}

/// Put back `count` bytes as the part in use and zero what lies behind them.
/// The bytes may come from a file or a network: the arena and every pool in it are checked before
/// anything uses them, so that no call of state.h on them can leave the region. References are
/// checked when they are followed; what else the game keeps in its own structs it checks itself
/// (bks_game.check).
/// @return BKS_OK; BKS_ERR_DAMAGED when `count` is not exactly what the arena says is in use (the
///         whole capacity when there is none), or the arena is not sound (error has the offset in
///         the bytes); the region is reset then
bks_status bksi_region_restore(bksi_region *region, const void *bytes, size_t count,
                               bks_error *error);

/// Put back bytes that bksi_region_used() counted here before, and zero what lies behind them.
void bksi_region_put_back(bksi_region *region, const void *bytes, size_t count);

/// Change one bit: a planted fault. What is no longer in use then becomes zero, as ever.
/// @param offset  below the capacity
/// @param bit     0..7
void bksi_region_flip(bksi_region *region, size_t offset, uint32_t bit);

/// XXH3-64, seed 0, of each page in use (the last one whole, zeros included) into `out`.
/// @param capacity  length of out, at least bksi_pages(used)
/// @return the number of pages
size_t bksi_region_page_hashes(const bksi_region *region, uint64_t *out, size_t capacity);

/// The state hash by pages: XXH3-64 over the page hashes as little-endian bytes, seeded with the
/// bytes in use. Not for two threads at once on one region. See docs/spec/state-hash.md.
uint64_t bksi_region_hash(const bksi_region *region);

/// The hashes of the pages in use that the last bksi_region_hash() took, 8 bytes each.
static inline const uint8_t *bksi_region_hashed_pages(const bksi_region *region)
{
    return region->page_hash_bytes;
}

/// Whether bytes of this region, as they are or as they were saved, hold an address in it: an
/// aligned word that points there. Chance makes one of a random word with one in 2^40 or less. Only
/// on 64 bits, and where the region lies above 4 GiB, so that no counter looks like an address.
bool bksi_region_has_pointers(const bksi_region *region, const void *bytes, size_t count);

/// An offset of a byte that is the game's own: none of the arena's and pools' bookkeeping, and none
/// of a word that reads as a reference or a pointer into the region. For planting faults that a
/// game survives.
/// @param draw  any number; the same state and number give the same byte
size_t bksi_region_draw_offset(const bksi_region *region, uint64_t draw);

/// The hasher behind bks_hash_add().
struct bks_hasher {
    uint64_t chain; ///< XXH3-64 of what was added so far, linked
};

bks_hasher bksi_hasher_begin(void);
uint64_t bksi_hasher_end(const bks_hasher *hasher);

#endif
