// SPDX-License-Identifier: MIT

#include "state/arena.h"

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"
#include "state/arena_layout.h"
#include "state/pool.h"
#include "state/region_table.h"

_Static_assert(sizeof(struct bks_arena) == 64, "the arena's header has no padding");

#define ALIGNMENT_MAX 4096u

static uint64_t round_up(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

static uint8_t *region_of(const bks_arena *arena)
{
    return (uint8_t *)(uintptr_t)arena - arena->offset_bytes;
}

static bks_pool *pool_at(const bks_arena *arena, uint64_t offset)
{
    return offset == 0 ? NULL : (bks_pool *)(void *)(region_of(arena) + offset);
}

size_t bksi_arena_used_at_start(size_t root_bytes)
{
    return (size_t)(round_up(root_bytes, 16) + sizeof(bks_arena));
}

void bksi_arena_init(void *region_bytes, size_t root_bytes, size_t capacity_bytes)
{
    bks_arena *arena = (void *)((uint8_t *)region_bytes + round_up(root_bytes, 16));
    *arena = (bks_arena){
        .magic = BKSI_ARENA_MAGIC,
        .offset_bytes = round_up(root_bytes, 16),
        .used_bytes = bksi_arena_used_at_start(root_bytes),
        .capacity_bytes = capacity_bytes,
    };
}

bool bksi_arena_has_head(const void *region_bytes, size_t root_bytes, size_t capacity_bytes)
{
    const bks_arena *arena = bksi_arena_at(region_bytes, root_bytes);
    static const uint8_t zeros[16];
    const size_t gap = (16 - root_bytes % 16) % 16;
    return (gap == 0 || memcmp((const uint8_t *)region_bytes + root_bytes, zeros, gap) == 0) &&
           arena->magic == BKSI_ARENA_MAGIC && arena->offset_bytes == root_bytes + gap &&
           arena->capacity_bytes == capacity_bytes;
}

/// Return what is wrong with the chain of pools, NULL if nothing is. The offsets in the chain must
/// rise, so the chain has no cycle.
static const char *fault_of_pools(const bks_arena *arena, uint64_t *out_offset)
{
    uint64_t end = arena->offset_bytes + sizeof(*arena);
    uint64_t last = 0;
    uint64_t count = 0;
    uint64_t link = arena->offset_bytes + offsetof(bks_arena, first_pool_offset);
    for (uint64_t at = arena->first_pool_offset; at != 0;) {
        if (at < end || at > arena->used_bytes || at % 16 != 0) {
            *out_offset = link;
            return "it leads to a pool that cannot lie there";
        }
        const bks_pool *pool = pool_at(arena, at);
        const char *fault = bksi_pool_fault(pool, arena->used_bytes - at, out_offset);
        if (fault != NULL) {
            *out_offset += at;
            return fault;
        }
        end = at + bksi_pool_total_bytes(pool);
        last = at;
        count++;
        link = at + offsetof(bks_pool, next_pool_offset);
        at = pool->next_pool_offset;
    }
    *out_offset = arena->offset_bytes + offsetof(bks_arena, last_pool_offset);
    return arena->last_pool_offset == last && arena->pool_count == count
               ? NULL
               : "its last pool or their number is wrong";
}

const char *bksi_arena_fault(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                             size_t used_bytes, uint64_t *out_offset)
{
    *out_offset = used_bytes;
    if (used_bytes < bksi_arena_used_at_start(root_bytes) || used_bytes > capacity_bytes) {
        return "no root and arena have this size";
    }
    const bks_arena *arena = bksi_arena_at(region_bytes, root_bytes);
    *out_offset = round_up(root_bytes, 16);
    if (arena->magic != BKSI_ARENA_MAGIC || arena->offset_bytes != *out_offset ||
        arena->capacity_bytes != capacity_bytes || arena->used_bytes != used_bytes ||
        arena->unused != 0) {
        return "its arena is not that of this state";
    }
    return fault_of_pools(arena, out_offset);
}

bool bksi_arena_is_bookkeeping(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               size_t offset)
{
    bksi_arena_scan scan = {.bytes = region_bytes, .count = capacity_bytes};
    const uint64_t place = round_up(root_bytes, 16);
    bool is_ours = offset >= place && offset < place + sizeof(bks_arena);
    if (is_ours || !bksi_arena_scan_at(&scan, place)) {
        return is_ours;
    }
    bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
    while (!is_ours && bksi_pool_walk_next(&scan, &walk)) {
        is_ours = offset >= walk.at && offset < walk.at + walk.pool.items_at;
    }
    return is_ours;
}

bool bksi_arena_is_game_memory(const void *region_bytes, size_t root_bytes, size_t capacity_bytes,
                               uint64_t offset, uint64_t count)
{
    bksi_arena_scan scan = {.bytes = region_bytes, .count = capacity_bytes};
    const uint64_t place = round_up(root_bytes, 16);
    bool is_game = bksi_arena_scan_at(&scan, place) && offset >= place + sizeof(bks_arena) &&
                   offset < scan.arena.used_bytes && count <= scan.arena.used_bytes - offset;
    if (!is_game) {
        return false;
    }
    bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
    while (is_game && bksi_pool_walk_next(&scan, &walk)) {
        is_game = offset + count <= walk.at || offset >= walk.end;
    }
    return is_game;
}

bks_arena *bks_arena_of(void *state, size_t root_bytes)
{
    BKSI_REFUSE_NULL_OR(NULL, state);
    bks_arena *arena = (void *)((uint8_t *)state + round_up(root_bytes, 16));
    if (root_bytes == 0 || arena->magic != BKSI_ARENA_MAGIC ||
        arena->offset_bytes != round_up(root_bytes, 16)) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_arena_of", "root_bytes",
                  "root_bytes is %zu and no arena lies behind a root of that size, must be the "
                  "game's root_bytes and above 0",
                  root_bytes);
        return NULL;
    }
    return arena;
}

/// Return true if `arena` is the arena of a region, and not just bytes that look like one.
static bool is_arena(const bks_arena *arena, const char *call)
{
    if (arena == NULL) {
        bksi_fail_null(NULL, call, "arena");
        return false;
    }
    if (!bksi_region_table_has_arena(arena)) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "arena",
                  "arena is not the arena of a region, or its header is damaged: must come from "
                  "bks_arena_of()");
        return false;
    }
    return true;
}

void *bks_arena_alloc(bks_arena *arena, size_t bytes, size_t alignment)
{
    if (!is_arena(arena, "bks_arena_alloc")) {
        return NULL;
    }
    if (bytes == 0) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_arena_alloc", "bytes",
                  "bytes is 0, must be at least 1");
        return NULL;
    }
    if (alignment == 0 || alignment > ALIGNMENT_MAX || (alignment & (alignment - 1)) != 0) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_arena_alloc", "alignment",
                  "alignment is %zu, must be a power of two in 1..%u", alignment, ALIGNMENT_MAX);
        return NULL;
    }
    // The region starts on a page, so aligned offsets give aligned addresses.
    uint64_t at = round_up(arena->used_bytes, alignment);
    if (at > arena->capacity_bytes || bytes > arena->capacity_bytes - at) {
        bksi_fail(NULL, BKS_ERR_FULL, "bks_arena_alloc", "bytes",
                  "bytes is %zu, but only %llu of the region's %llu are left", bytes,
                  (unsigned long long)(arena->capacity_bytes - arena->used_bytes),
                  (unsigned long long)arena->capacity_bytes);
        return NULL;
    }
    arena->used_bytes = at + bytes;
    return region_of(arena) + at; // the memory is zero, because nothing was written to it before
}

size_t bks_arena_used_bytes(const bks_arena *arena)
{
    if (!is_arena(arena, "bks_arena_used_bytes")) {
        return 0;
    }
    return (size_t)arena->used_bytes;
}

size_t bks_arena_capacity_bytes(const bks_arena *arena)
{
    if (!is_arena(arena, "bks_arena_capacity_bytes")) {
        return 0;
    }
    return (size_t)arena->capacity_bytes;
}

/// Return the newest pool of a valid arena; NULL if there is none or the header is damaged.
static bks_pool *last_pool(const bks_arena *arena)
{
    bks_pool *last = arena->last_pool_offset < arena->used_bytes
                         ? pool_at(arena, arena->last_pool_offset)
                         : NULL;
    return bksi_region_table_has_pool(last) ? last : NULL;
}

static bks_pool *refuse_pool(const char *argument, size_t value, size_t most)
{
    bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_pool_create", argument, "%s is %zu, must be 1..%zu",
              argument, value, most);
    return NULL;
}

bks_pool *bks_pool_create(bks_arena *arena, const char *name, size_t item_bytes, uint32_t capacity)
{
    if (!is_arena(arena, "bks_pool_create")) {
        return NULL;
    }
    BKSI_REFUSE_NULL_OR(NULL, name);
    if (item_bytes == 0 || item_bytes > BKSI_POOL_ITEM_BYTES_MAX) {
        return refuse_pool("item_bytes", item_bytes, BKSI_POOL_ITEM_BYTES_MAX);
    }
    if (capacity == 0 || capacity > BKS_POOL_CAPACITY_MAX) {
        return refuse_pool("capacity", capacity, BKS_POOL_CAPACITY_MAX);
    }

    bks_pool plan = bksi_pool_planned(item_bytes, capacity);
    for (size_t i = 0; i + 1 < BKSI_POOL_NAME_BYTES && name[i] != '\0'; i++) {
        plan.name[i] = name[i];
    }
    uint64_t total = bksi_pool_total_bytes(&plan);
    if (total > arena->capacity_bytes) { // in 64 bits, because the total may not fit size_t
        bksi_fail(NULL, BKS_ERR_FULL, "bks_pool_create", "capacity",
                  "capacity is %u: items of %zu bytes take %llu together, the region has %llu",
                  capacity, item_bytes, (unsigned long long)total,
                  (unsigned long long)arena->capacity_bytes);
        return NULL;
    }
    bks_pool *last = last_pool(arena);
    if (last == NULL && arena->pool_count > 0) {
        bksi_fail(NULL, BKS_ERR_DAMAGED, "bks_pool_create", "arena",
                  "the arena has %llu pools, and offset %llu of its last one leads to none",
                  (unsigned long long)arena->pool_count,
                  (unsigned long long)arena->last_pool_offset);
        return NULL;
    }
    bks_pool *pool = bks_arena_alloc(arena, (size_t)total, 16);
    if (pool == NULL) {
        return NULL;
    }
    *pool = plan;
    uint64_t offset = (uint64_t)((uint8_t *)pool - region_of(arena));
    if (last != NULL) {
        last->next_pool_offset = offset;
    } else {
        arena->first_pool_offset = offset;
    }
    arena->last_pool_offset = offset;
    arena->pool_count++;
    bksi_region_table_add_pool(pool);
    return pool;
}

void bks_arena_baseline(bks_arena *arena)
{
    if (arena == NULL || !is_arena(arena, "bks_arena_baseline")) {
        return;
    }
    for (bks_pool *pool = NULL; (pool = bksi_region_table_pool_behind(arena, pool)) != NULL;) {
        pool->baseline = pool->live;
    }
}

uint32_t bks_arena_inspect(const bks_arena *arena, bks_pool_usage *out, uint32_t capacity)
{
    if (!is_arena(arena, "bks_arena_inspect")) {
        return 0;
    }
    uint32_t count = 0;
    const bks_pool *pool = NULL;
    for (; (pool = bksi_region_table_pool_behind(arena, pool)) != NULL; count++) {
        if (out != NULL && count < capacity) {
            out[count] = (bks_pool_usage){
                .name = pool->name,
                .item_bytes = (size_t)pool->item_bytes,
                .capacity = pool->capacity,
                .live = pool->live,
                .high_water = pool->high_water,
                .leaked = pool->live > pool->baseline ? pool->live - pool->baseline : 0,
                .added = pool->added,
                .removed = pool->removed,
            };
        }
    }
    return count;
}

uint32_t bks_arena_fill_free(bks_arena *arena, uint8_t byte)
{
    if (!is_arena(arena, "bks_arena_fill_free")) {
        return 0;
    }
    uint32_t filled = 0;
    for (bks_pool *pool = NULL; (pool = bksi_region_table_pool_behind(arena, pool)) != NULL;) {
        filled += bksi_pool_fill_free(pool, byte);
    }
    return filled;
}
