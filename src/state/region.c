// SPDX-License-Identifier: MIT

#include "state/region.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "state/arena.h"
#include "state/pool.h"

_Static_assert(BKSI_PAGE_BYTES % 16 == 0, "pages keep items aligned");

size_t bksi_region_bytes_min(size_t root_bytes)
{
    return bksi_arena_used_at_start(root_bytes);
}

/// Return the size of the memory beside a region: its entry in the table, its pages' hashes, the
/// bits of its pools.
static size_t beside_bytes(size_t pages)
{
    return sizeof(bksi_region_entry) + pages * sizeof(uint64_t) +
           bksi_pool_bits_bytes(pages * BKSI_PAGE_BYTES);
}

static bks_status refuse_memory(size_t capacity_bytes, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "region.create", "state_bytes",
                     "no memory for a state of %zu bytes, or none that begins on a page",
                     capacity_bytes);
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
    uint8_t *bytes = bksi_pages_alloc(allocator, allocated_bytes);
    bksi_region_entry *entry = bksi_alloc(allocator, beside_bytes(pages), sizeof(uint64_t));
    if (bytes == NULL || entry == NULL || (uintptr_t)bytes % BKSI_PAGE_BYTES != 0) {
        bksi_pages_free(allocator, bytes, allocated_bytes);
        bksi_free(allocator, entry, beside_bytes(pages));
        return refuse_memory(capacity_bytes, error);
    }
    *entry = (bksi_region_entry){
        .bytes = bytes,
        .allocated_bytes = allocated_bytes,
        .capacity_bytes = capacity_bytes,
        .root_bytes = root_bytes,
        .pool_bits = (uint8_t *)(entry + 1) + pages * sizeof(uint64_t),
    };
    *region = (bksi_region){
        .bytes = bytes,
        .capacity_bytes = capacity_bytes,
        .allocated_bytes = allocated_bytes,
        .root_bytes = root_bytes,
        .page_hash_bytes = (uint8_t *)(entry + 1),
        .entry = entry,
        .allocator = *allocator,
        .has_head = true,
    };
    if (root_bytes > 0) {
        bksi_arena_init(bytes, root_bytes, capacity_bytes);
    }
    bksi_region_table_add(entry);
    return BKS_OK;
}

void bksi_region_destroy(bksi_region *region)
{
    if (region == NULL || region->bytes == NULL) {
        return;
    }
    bksi_region_table_remove(region->entry);
    bksi_pages_free(&region->allocator, region->bytes, region->allocated_bytes);
    bksi_free(&region->allocator, region->entry, beside_bytes(bksi_pages(region->capacity_bytes)));
    *region = (bksi_region){0};
}

void bksi_region_reset(bksi_region *region)
{
    bksi_region_table_forget_pools(region->entry);
    memset(region->bytes, 0, region->allocated_bytes);
    region->has_head = true;
    if (region->root_bytes > 0) {
        bksi_arena_init(region->bytes, region->root_bytes, region->capacity_bytes);
    }
}

/// Page of zeros, and the bytes of the canary: memory after a region's end is compared with both.
static const uint8_t zeros[BKSI_PAGE_BYTES];
static const uint8_t canary[BKSI_CANARY_BYTES] = "end of the state";

static size_t canary_bytes(const bksi_region *region)
{
    const size_t left = region->allocated_bytes - region->capacity_bytes;
    return left < sizeof(canary) ? left : sizeof(canary);
}

static bool is_head_whole(const bksi_region *region)
{
    return region->root_bytes == 0 ||
           bksi_arena_has_head(region->bytes, region->root_bytes, region->capacity_bytes);
}

/// Check the arena's header and pools again, because the region's bytes were replaced.
static void look_again(bksi_region *region)
{
    region->has_head = is_head_whole(region);
    if (!bksi_region_table_knows_pools(region->entry)) {
        bksi_region_table_forget_pools(region->entry);
        bksi_region_table_find_pools(region->entry);
    }
}

void bksi_region_watch(bksi_region *region)
{
    region->is_watched = region->allocated_bytes > region->capacity_bytes;
    if (!region->is_watched) {
        return; // the guard page begins right after the region
    }
    memcpy(region->bytes + region->capacity_bytes, canary, canary_bytes(region));
}

/// Return true if the bytes after the region's end are untouched, and clear them.
static bool is_tail_whole(bksi_region *region)
{
    uint8_t *end = region->bytes + region->capacity_bytes;
    const size_t watched = canary_bytes(region);
    const size_t rest = region->allocated_bytes - region->capacity_bytes - watched;
    const bool is_whole =
        memcmp(end, canary, watched) == 0 && memcmp(end + watched, zeros, rest) == 0;
    memset(end, 0, is_whole ? watched : watched + rest);
    return is_whole;
}

const char *bksi_region_unwatch(bksi_region *region)
{
    const bool is_whole = !region->is_watched || is_tail_whole(region);
    region->is_watched = false;
    const bool had_head = region->has_head;
    region->has_head = is_head_whole(region);
    if (had_head && !region->has_head) {
        return "root struct";
    }
    return is_whole ? NULL : "state";
}

size_t bksi_region_used(const bksi_region *region)
{
    if (region->root_bytes == 0) {
        return region->capacity_bytes;
    }
    return bksi_arena_used(region->bytes, region->root_bytes, region->capacity_bytes);
}

/// Return in words why the bytes in the region are invalid; NULL if they are valid.
static const char *fault_of(const bksi_region *region, size_t count, uint64_t *out_offset)
{
    if (region->root_bytes == 0) {
        *out_offset = count;
        return count == region->capacity_bytes ? NULL : "there are too few,";
    }
    return bksi_arena_fault(region->bytes, region->root_bytes, region->capacity_bytes, count,
                            out_offset);
}

bks_status bksi_region_restore(bksi_region *region, const void *bytes, size_t count,
                               bks_error *error)
{
    const char *fault = "there are too many,";
    uint64_t offset = region->capacity_bytes;
    if (count <= region->capacity_bytes) {
        bksi_region_table_forget_pools(region->entry);
        memcpy(region->bytes, bytes, count);
        memset(region->bytes + count, 0, region->allocated_bytes - count);
        fault = fault_of(region, count, &offset);
    }
    if (fault == NULL) {
        region->has_head = true;
        bksi_region_table_find_pools(region->entry);
        return BKS_OK;
    }
    bksi_region_reset(region);
    return bksi_fail_at(error, BKS_ERR_DAMAGED, "region.restore", offset,
                        "%zu bytes are not a state of this game: %s", count, fault);
}

void bksi_region_put_back(bksi_region *region, const void *bytes, size_t count)
{
    const size_t used = bksi_region_used(region);
    memcpy(region->bytes, bytes, count);
    if (used > count) {
        memset(region->bytes + count, 0, used - count);
    }
    look_again(region);
}

void bksi_region_flip(bksi_region *region, size_t offset, uint32_t bit)
{
    BKS_ASSERT(offset < region->capacity_bytes && bit < 8);
    const size_t used = bksi_region_used(region);
    region->bytes[offset] ^= (uint8_t)(1u << bit);
    const size_t left = bksi_region_used(region);
    if (left < used) {
        memset(region->bytes + left, 0, used - left);
    }
    look_again(region);
}

/// Return the hash of a page. The size is constant, which helps the compiler and the hash.
static uint64_t page_hash(const bksi_region *region, size_t page)
{
    if (region->is_watched && (page + 1) * BKSI_PAGE_BYTES == region->allocated_bytes) {
        uint8_t clean[BKSI_PAGE_BYTES]; // hash a copy of the page, which does not have the canary
        memcpy(clean, region->bytes + page * BKSI_PAGE_BYTES, sizeof(clean));
        memset(clean + region->capacity_bytes - page * BKSI_PAGE_BYTES, 0, canary_bytes(region));
        return bksi_hash64(clean, sizeof(clean), 0);
    }
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

static bool points_into(const bksi_region *region, uint64_t word)
{
    const uint64_t start = (uint64_t)(uintptr_t)region->bytes;
    return start > UINT32_MAX && word - start < region->capacity_bytes;
}

bool bksi_region_has_pointers(const bksi_region *region, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, at + i, sizeof(word));
        if (points_into(region, word)) {
            return true;
        }
    }
    return false;
}

/// Return true if the aligned word around a byte is a bks_ref or a pointer into the region.
static bool is_reference(const bksi_region *region, size_t used, size_t offset)
{
    size_t word = offset / sizeof(bks_ref) * sizeof(bks_ref);
    if (word + sizeof(bks_ref) > used) {
        return false;
    }
    int64_t distance = 0;
    memcpy(&distance, region->bytes + word, sizeof(distance));
    if (points_into(region, (uint64_t)distance)) {
        return true;
    }
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
        bool is_ours =
            region->root_bytes > 0 && bksi_arena_is_bookkeeping(region->bytes, region->root_bytes,
                                                                region->capacity_bytes, offset);
        if (!is_ours && !is_reference(region, used, offset)) {
            return offset;
        }
    }
    return (size_t)(draw % used);
}

bks_hasher bksi_hasher_begin(void)
{
    return (bks_hasher){0};
}

void bks_hash_add(bks_hasher *hasher, const void *bytes, size_t count)
{
    BKSI_REFUSE_NULL_OR(, hasher);
    if (bytes == NULL && count > 0) {
        bksi_fail_null(NULL, "bks_hash_add", "bytes");
        return;
    }
    // Link the hashes of parts instead of hashing one long stream, so that the hash also
    // depends on where the parts end.
    hasher->chain = bksi_hash64_pair(hasher->chain, bksi_hash64(bytes, count, 0));
}

uint64_t bksi_hasher_end(const bks_hasher *hasher)
{
    return hasher->chain;
}
