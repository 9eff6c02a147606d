// SPDX-License-Identifier: MIT

#include "state/region_table.h"

#include <string.h>

#include "base/report.h"
#include "state/arena_layout.h"

#define PAGE_SHIFT 12u
#define RELAXED    memory_order_relaxed

static bks_library own = {.version = BKSI_REGION_TABLE_VERSION, .is_locked = ATOMIC_FLAG_INIT};

bks_library *bksi_region_table = &own;

bks_library *bks_library_here(void)
{
    return bksi_region_table;
}

bks_status bks_library_join(bks_library *library)
{
    static const char call[] = "bks_library_join";
    BKSI_REFUSE_NULL(NULL, library);
    if (library->version != BKSI_REGION_TABLE_VERSION) {
        return bksi_fail(NULL, BKS_ERR_UNSUPPORTED, call, "library",
                         "library has a table of version %u, must be %u", library->version,
                         BKSI_REGION_TABLE_VERSION);
    }
    bksi_region_table = library;
    return BKS_OK;
}

static void lock(bks_library *shared)
{
    while (atomic_flag_test_and_set_explicit(&shared->is_locked, memory_order_acquire)) {
    }
}

static void unlock(bks_library *shared)
{
    atomic_flag_clear_explicit(&shared->is_locked, memory_order_release);
}

static uint64_t span_of(const bksi_region_entry *entry)
{
    const uint64_t pages = entry->allocated_bytes >> PAGE_SHIFT;
    return (uint64_t)(uintptr_t)entry->bytes >> PAGE_SHIFT << BKSI_SPAN_COUNT_BITS | (pages - 1);
}

void bksi_region_table_add(bksi_region_entry *entry)
{
    BKS_ASSERT(entry->allocated_bytes >> PAGE_SHIFT <= UINT64_C(1) << BKSI_SPAN_COUNT_BITS);
    lock(bksi_region_table);
    entry->next = atomic_load_explicit(&bksi_region_table->first, RELAXED);
    atomic_store_explicit(&bksi_region_table->first, entry, RELAXED);
    unlock(bksi_region_table);
}

void bksi_region_table_remove(bksi_region_entry *entry)
{
    lock(bksi_region_table);
    bksi_region_entry *before = NULL;
    bksi_region_entry *at = atomic_load_explicit(&bksi_region_table->first, RELAXED);
    for (; at != NULL && at != entry; at = at->next) {
        before = at;
    }
    if (before != NULL) {
        before->next = entry->next;
    } else if (at != NULL) {
        atomic_store_explicit(&bksi_region_table->first, entry->next, RELAXED);
    }
    const uint64_t span = span_of(entry);
    for (uint32_t i = 0; i < BKSI_REGION_TABLE_CACHE; i++) {
        if (atomic_load_explicit(&bksi_region_table->spans[i], RELAXED) == span) {
            atomic_store_explicit(&bksi_region_table->spans[i], 0, RELAXED);
        }
    }
    unlock(bksi_region_table);
    bksi_region_table_forget_pools(entry);
}

void bksi_region_table_forget_pools(bksi_region_entry *entry)
{
    memset(entry->pool_bits, 0, (entry->marked_bytes + 127) / 128);
    entry->marked_bytes = 0;
    entry->marked_pools = 0;
    for (uint32_t i = 0; i < BKSI_REGION_TABLE_POOLS; i++) {
        const uintptr_t pool = atomic_load_explicit(&bksi_region_table->pools[i], RELAXED);
        if (pool - (uintptr_t)entry->bytes - 1 < entry->allocated_bytes) {
            atomic_store_explicit(&bksi_region_table->pools[i], 0, RELAXED);
        }
    }
}

/// Return the entry of the region that holds an address. The entry exists as long as the region.
static bksi_region_entry *entry_of(const void *address)
{
    if (atomic_load_explicit(&bksi_region_table->first, RELAXED) == NULL) {
        return NULL;
    }
    lock(bksi_region_table);
    bksi_region_entry *at = atomic_load_explicit(&bksi_region_table->first, RELAXED);
    while (at != NULL && (uintptr_t)address - (uintptr_t)at->bytes >= at->allocated_bytes) {
        at = at->next;
    }
    unlock(bksi_region_table);
    return at;
}

bool bksi_region_table_find(const void *address, bksi_region_entry *out)
{
    const bksi_region_entry *entry = entry_of(address);
    if (entry == NULL) {
        return false;
    }
    *out = (bksi_region_entry){
        .bytes = entry->bytes,
        .allocated_bytes = entry->allocated_bytes,
        .capacity_bytes = entry->capacity_bytes,
        .root_bytes = entry->root_bytes,
    };
    return true;
}

bool bksi_region_table_allows_after_all(const void *from, const void *to)
{
    bksi_region_entry entry;
    if (!bksi_region_table_find(from, &entry)) {
        return true;
    }
    const uint64_t span = span_of(&entry);
    atomic_store_explicit(bksi_span_near(from), span, RELAXED);
    return bksi_span_covers(span, to);
}

/// Return the arena of a region that has one.
static const bks_arena *arena_of(const bksi_region_entry *entry)
{
    return entry->root_bytes > 0 ? bksi_arena_at(entry->bytes, entry->root_bytes) : NULL;
}

static bool is_marked(const bksi_region_entry *entry, size_t offset)
{
    return (entry->pool_bits[offset / 128] >> (offset / 16 % 8) & 1) != 0;
}

static void mark(bksi_region_entry *entry, size_t offset)
{
    entry->marked_pools += is_marked(entry, offset) ? 0 : 1;
    entry->pool_bits[offset / 128] |= (uint8_t)(1u << (offset / 16 % 8));
    if (entry->marked_bytes <= offset) {
        entry->marked_bytes = offset + 1;
    }
}

void bksi_region_table_add_pool(const bks_pool *pool)
{
    bksi_region_entry *entry = entry_of(pool);
    if (entry != NULL) {
        mark(entry, (uintptr_t)pool - (uintptr_t)entry->bytes);
    }
}

/// Return the offset of the pool that follows the one at `offset`, or of the first pool for 0.
/// Return 0 at the end. The next offset must be greater, even if a game overwrote the chain.
static size_t pool_behind(const bksi_region_entry *entry, size_t offset)
{
    const bks_arena *arena = arena_of(entry);
    if (arena == NULL) {
        return 0;
    }
    const bks_pool *pool = (const void *)(entry->bytes + offset);
    const uint64_t at = offset == 0 ? arena->first_pool_offset : pool->next_pool_offset;
    const bool is_there = at > offset && at < entry->capacity_bytes && at % 16 == 0 &&
                          entry->capacity_bytes - at >= sizeof(bks_pool);
    return is_there ? (size_t)at : 0;
}

/// Return true if the pool at an offset has a valid header and is within the bytes in use.
static bool is_usable(const bksi_region_entry *entry, size_t offset)
{
    const size_t used = bksi_arena_used(entry->bytes, entry->root_bytes, entry->capacity_bytes);
    const bks_pool *pool = (const void *)(entry->bytes + offset);
    return offset < used && bksi_pool_is_usable(pool, used - offset);
}

/// Return the end of the usable pool at `offset`; for 0 the end of root and arena.
static uint64_t end_of(const bksi_region_entry *entry, size_t offset)
{
    return offset == 0 ? bksi_arena_place(entry->root_bytes) + sizeof(bks_arena)
                       : offset + bksi_pool_total_bytes((const void *)(entry->bytes + offset));
}

/// Return the offset of the next pool like pool_behind(), but skip unusable and overlapping pools.
static size_t usable_behind(const bksi_region_entry *entry, size_t offset)
{
    const uint64_t end = end_of(entry, offset);
    size_t at = pool_behind(entry, offset);
    while (at != 0 && (at < end || !is_usable(entry, at))) {
        at = pool_behind(entry, at);
    }
    return at;
}

bks_pool *bksi_region_table_pool_behind(const bks_arena *arena, const bks_pool *pool)
{
    const bksi_region_entry *entry = entry_of(arena);
    if (entry == NULL) {
        return NULL;
    }
    const size_t offset = pool == NULL ? 0 : (size_t)((const uint8_t *)pool - entry->bytes);
    const size_t at = usable_behind(entry, offset);
    return at == 0 ? NULL : (bks_pool *)(void *)(entry->bytes + at);
}

void bksi_region_table_find_pools(bksi_region_entry *entry)
{
    for (size_t at = usable_behind(entry, 0); at != 0; at = usable_behind(entry, at)) {
        mark(entry, at);
    }
}

bool bksi_region_table_knows_pools(const bksi_region_entry *entry)
{
    size_t count = 0;
    for (size_t at = usable_behind(entry, 0); at != 0; at = usable_behind(entry, at)) {
        if (!is_marked(entry, at)) {
            return false;
        }
        count++;
    }
    return count == entry->marked_pools;
}

static bool look_up(const bks_pool *pool)
{
    const bksi_region_entry *entry = (uintptr_t)pool % 16 == 0 ? entry_of(pool) : NULL;
    return entry != NULL && is_marked(entry, (uintptr_t)pool - (uintptr_t)entry->bytes);
}

bool bksi_region_table_has_pool_after_all(const bks_pool *pool)
{
    if (!look_up(pool)) {
        return false;
    }
    atomic_store_explicit(bksi_pool_near(pool), (uintptr_t)pool + 1, RELAXED);
    return true;
}

bool bksi_region_table_has_arena(const bks_arena *arena)
{
    const bksi_region_entry *entry = entry_of(arena);
    if (entry == NULL || arena_of(entry) != arena) {
        return false;
    }
    const size_t last = entry->marked_bytes > 0 ? entry->marked_bytes - 1 : 0;
    return arena->offset_bytes == bksi_arena_place(entry->root_bytes) &&
           arena->capacity_bytes == entry->capacity_bytes &&
           arena->used_bytes >= end_of(entry, last) && arena->used_bytes <= entry->capacity_bytes;
}
