// SPDX-License-Identifier: MIT

/// @file region.h
/// Memory of a game's state: page-aligned, zeroed, owned by the library. Bytes beyond `used` are
/// always zero, so only the used part is copied or hashed.

#ifndef BKSI_REGION_H
#define BKSI_REGION_H

#include "backstitch/state.h"
#include "base/memory.h"
#include "state/region_table.h"

/// Maximum size of the canary: bytes after the region's end that show if a step wrote there. These
/// bytes are the unused rest of the region's last page.
#define BKSI_CANARY_BYTES 16u

typedef struct bksi_region {
    uint8_t *bytes;           ///< bytes of the region, page-aligned, between two guard pages
    size_t capacity_bytes;    ///< size of the region in bytes, as requested
    size_t allocated_bytes;   ///< size of the region in bytes, rounded up to whole pages
    size_t root_bytes;        ///< size of the root in bytes; 0: the region has no arena
    uint8_t *page_hash_bytes; ///< memory for page hashes, so that hashing allocates nothing
    bksi_region_entry *entry; ///< entry of the region in the table of regions
    bks_allocator allocator;
    bool is_watched; ///< true if there is a canary after the region's end
    bool has_head;   ///< true if the arena's header was intact at the last check
} bksi_region;

/// Return the least capacity of a region with a root of `root_bytes` and an arena.
size_t bksi_region_bytes_min(size_t root_bytes);

/// Create a region of `capacity_bytes`, all zero, with an arena if root_bytes is above 0.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG (no room for root and arena)
bks_status bksi_region_create(bksi_region *region, size_t capacity_bytes, size_t root_bytes,
                              const bks_allocator *allocator, bks_error *error);
void bksi_region_destroy(bksi_region *region);

/// Clear the region and make its arena anew.
void bksi_region_reset(bksi_region *region);

/// Prepare to detect writes of a step past the end of the region. Hashes are not affected.
void bksi_region_watch(bksi_region *region);

/// Check after the step for writes past the end, and clear the bytes after the end.
/// @return what was written past, "root struct" or "state"; NULL if nothing was
const char *bksi_region_unwatch(bksi_region *region);

/// Return the number of bytes in use: those of root and arena or, without an arena, the whole
/// region.
size_t bksi_region_used(const bksi_region *region);

/// Return the number of pages of `used_bytes`.
static inline size_t bksi_pages(size_t used_bytes)
{
    return (used_bytes + BKSI_PAGE_BYTES - 1) / BKSI_PAGE_BYTES;
}

/// Restore `count` bytes as the used part and clear the rest. The bytes may come from a file or a
/// network: the arena and every pool are checked before use, so that no function of state.h can
/// leave the region. References are checked when they are followed. The game checks its own structs
/// (bks_game.check).
/// @return BKS_OK; BKS_ERR_DAMAGED if `count` is not the number of bytes in use that the arena
///         tells (without an arena, the capacity), or if the arena is not valid (error has the
///         offset in the bytes); the region is reset then
bks_status bksi_region_restore(bksi_region *region, const void *bytes, size_t count,
                               bks_error *error);

/// Restore bytes that were in use in this region before (bksi_region_used()), and clear the rest.
void bksi_region_put_back(bksi_region *region, const void *bytes, size_t count);

/// Change one bit of the region, as a planted fault. If fewer bytes are in use afterwards, clear
/// those that are no longer in use.
/// @param offset  below the capacity
/// @param bit     bit of the byte, 0..7
void bksi_region_flip(bksi_region *region, size_t offset, uint32_t bit);

/// Write XXH3-64, seed 0, of each page in use to `out`; the last page is hashed whole, its zeros
/// included.
/// @param capacity  length of `out`, at least bksi_pages(used)
/// @return number of pages
size_t bksi_region_page_hashes(const bksi_region *region, uint64_t *out, size_t capacity);

/// Return the state hash by pages: XXH3-64 over the page hashes as little-endian bytes, seeded with
/// the bytes in use. Two threads must not hash one region at once. See docs/spec/state-hash.md.
uint64_t bksi_region_hash(const bksi_region *region);

/// Return the page hashes that the last bksi_region_hash() computed, 8 bytes each.
static inline const uint8_t *bksi_region_hashed_pages(const bksi_region *region)
{
    return region->page_hash_bytes;
}

/// Return true if bytes of this region, live or saved, hold an address in the region: an aligned
/// word that points into it. A random word does so with a probability of at most 2^-40. The check
/// is only made with addresses of 64 bits, for a region at an address above 4 GiB, so that no
/// counter looks like an address.
bool bksi_region_has_pointers(const bksi_region *region, const void *bytes, size_t count);

/// Draw the offset of a byte of the game: not in the bookkeeping of arena and pools, nor in a word
/// that is a reference or pointer into the region. It serves planted faults that a game survives.
/// @param draw  any number; the same state and number give the same byte
size_t bksi_region_draw_offset(const bksi_region *region, uint64_t draw);

/// Hasher that bks_hash_add() fills.
struct bks_hasher {
    uint64_t chain; ///< linked XXH3-64 hashes of all parts added so far
};

bks_hasher bksi_hasher_begin(void);
uint64_t bksi_hasher_end(const bks_hasher *hasher);

#endif
