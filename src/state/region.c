// SPDX-License-Identifier: MIT

#include "state/region.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "state/arena.h"

_Static_assert(BKSI_PAGE_BYTES % 16 == 0, "pages keep items aligned");

size_t bksi_region_bytes_min(size_t root_bytes)
{
    return bksi_arena_used_at_start(root_bytes);
}

bks_status bksi_region_create(bksi_region *region, size_t capacity_bytes, size_t root_bytes,
                              const bks_allocator *allocator, bks_error *error)
{
    BKS_ASSERT(capacity_bytes > 0);
    *region = (bksi_region){0};
    if (root_bytes > capacity_bytes ||
        (root_bytes > 0 && bksi_arena_used_at_start(root_bytes) > capacity_bytes)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "region.create", "state_bytes",
                         "state_bytes is %zu, must be at least %zu for a root of %zu and its arena",
                         capacity_bytes, bksi_arena_used_at_start(root_bytes), root_bytes);
    }
    size_t pages = bksi_pages(capacity_bytes);
    size_t allocated_bytes = pages * BKSI_PAGE_BYTES;
    uint8_t *bytes = bksi_alloc(allocator, allocated_bytes, BKSI_PAGE_BYTES);
    uint8_t *page_hash_bytes = bksi_alloc(allocator, pages * sizeof(uint64_t), sizeof(uint64_t));
    if (bytes == NULL || page_hash_bytes == NULL) {
        bksi_free(allocator, bytes, allocated_bytes);
        bksi_free(allocator, page_hash_bytes, pages * sizeof(uint64_t));
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "region.create", "state_bytes",
                         "no memory for a state of %zu bytes", capacity_bytes);
    }
    *region = (bksi_region){
        .bytes = bytes,
        .capacity_bytes = capacity_bytes,
        .allocated_bytes = allocated_bytes,
        .root_bytes = root_bytes,
        .page_hash_bytes = page_hash_bytes,
        .allocator = *allocator,
    };
    if (root_bytes > 0) {
        bksi_arena_init(bytes, root_bytes, capacity_bytes);
    }
    return BKS_OK;
}

void bksi_region_destroy(bksi_region *region)
{
    if (region == NULL) {
        return;
    }
    bksi_free(&region->allocator, region->bytes, region->allocated_bytes);
    bksi_free(&region->allocator, region->page_hash_bytes,
              bksi_pages(region->capacity_bytes) * sizeof(uint64_t));
    *region = (bksi_region){0};
}

void bksi_region_reset(bksi_region *region)
{
    memset(region->bytes, 0, region->allocated_bytes);
    if (region->root_bytes > 0) {
        bksi_arena_init(region->bytes, region->root_bytes, region->capacity_bytes);
    }
}

size_t bksi_region_used(const bksi_region *region)
{
    if (region->root_bytes == 0) {
        return region->capacity_bytes;
    }
    // The game can write over the header. Copies and hashes must not leave the region even then.
    uint64_t used = bksi_arena_at(region->bytes, region->root_bytes)->used_bytes;
    return used < region->capacity_bytes ? (size_t)used : region->capacity_bytes;
}

/// Why bytes cannot be put back, in words; NULL when they can. They lie in the region already.
static const char *fault_of(const bksi_region *region, size_t count)
{
    if (region->root_bytes == 0) {
        return count == region->capacity_bytes ? NULL : "their number is not the state's";
    }
    return bksi_arena_is_sound(region->bytes, region->root_bytes, region->capacity_bytes, count)
               ? NULL
               : "their arena is not sound";
}

bks_status bksi_region_restore(bksi_region *region, const void *bytes, size_t count)
{
    const char *fault = "there are more than the region holds";
    if (count <= region->capacity_bytes) {
        memcpy(region->bytes, bytes, count);
        memset(region->bytes + count, 0, region->allocated_bytes - count);
        fault = fault_of(region, count);
    }
    if (fault == NULL) {
        return BKS_OK;
    }
    bksi_region_reset(region);
    return bksi_fail(NULL, BKS_ERR_DAMAGED, "region.restore", NULL,
                     "%zu bytes are no state of this game with %zu bytes at most: %s", count,
                     region->capacity_bytes, fault);
}

/// Pages are hashed with a fixed size, so the compiler and the hash both know it.
static uint64_t page_hash(const bksi_region *region, size_t page)
{
    return bksi_hash64(region->bytes + page * BKSI_PAGE_BYTES, BKSI_PAGE_BYTES, 0);
}

size_t bksi_region_page_hashes(const bksi_region *region, uint64_t *out, size_t capacity)
{
    size_t pages = bksi_pages(bksi_region_used(region));
    BKS_ASSERT(capacity >= pages);
    for (size_t i = 0; i < pages && i < capacity; i++) {
        out[i] = page_hash(region, i);
    }
    return pages;
}

uint64_t bksi_region_hash(const bksi_region *region)
{
    size_t used = bksi_region_used(region);
    size_t pages = bksi_pages(used);
    for (size_t i = 0; i < pages; i++) {
        bksi_put_u64(region->page_hash_bytes + i * sizeof(uint64_t), page_hash(region, i));
    }
    return bksi_hash64(region->page_hash_bytes, pages * sizeof(uint64_t), used);
}

/// Whether the aligned word around a byte points into the region when read as a bks_ref.
static bool is_reference(const bksi_region *region, size_t used, size_t offset)
{
    size_t word = offset / sizeof(bks_ref) * sizeof(bks_ref);
    if (word + sizeof(bks_ref) > used) {
        return false;
    }
    int64_t distance = 0;
    memcpy(&distance, region->bytes + word, sizeof(distance));
    if (distance == 0 || distance > (int64_t)used || distance < -(int64_t)used) {
        return false;
    }
    int64_t target = (int64_t)word + distance;
    return target >= 0 && target < (int64_t)used && target % 16 == 0;
}

size_t bksi_region_draw_offset(const bksi_region *region, uint64_t draw)
{
    size_t used = bksi_region_used(region);
    for (size_t i = 0; i < used; i++) {
        size_t offset = (size_t)((draw + i) % used);
        bool is_ours = region->root_bytes > 0 &&
                       bksi_arena_is_bookkeeping(region->bytes, region->root_bytes, offset);
        if (!is_ours && !is_reference(region, used, offset)) {
            return offset;
        }
    }
    return (size_t)(draw % used);
}
