// SPDX-License-Identifier: MIT

#include "state/pool.h"

#include <string.h>

#include "base/bits.h"
#include "base/report.h"
#include "state/region_table.h"

_Static_assert(BKS_POOL_CAPACITY_MAX <= UINT16_MAX, "slot + 1 fits the lower half of an id");

static bksi_pool_slot *slots_of(const bks_pool *pool)
{
    return (bksi_pool_slot *)(void *)((uint8_t *)(uintptr_t)pool + sizeof(*pool));
}

static uint64_t *live_bits_of(const bks_pool *pool)
{
    return (uint64_t *)(void *)((uint8_t *)(uintptr_t)pool + pool->live_bits_at);
}

static void *item_of(const bks_pool *pool, uint32_t slot)
{
    return (uint8_t *)(uintptr_t)pool + pool->items_at + pool->stride_bytes * slot;
}

static bool is_live(const bks_pool *pool, uint32_t slot)
{
    return (live_bits_of(pool)[slot / 64] >> (slot % 64) & 1) != 0;
}

/// Make an id. An id is never 0, because the lower half holds slot + 1, whatever the generation.
static bks_id id_of(const bks_pool *pool, uint32_t slot)
{
    return (bks_id)slots_of(pool)[slot].generation << 16 | (slot + 1);
}

/// Return true if the live bits are consistent: no bit from `fresh` on is set, and the number of
/// set bits is the pool's count.
static bool live_bits_are_sound(const bks_pool *pool)
{
    uint32_t live = 0;
    uint32_t bits = (pool->capacity + 63) / 64 * 64;
    for (uint32_t slot = 0; slot < bits; slot++) {
        if (is_live(pool, slot)) {
            if (slot >= pool->fresh) {
                return false;
            }
            live++;
        }
    }
    return live == pool->live;
}

/// Return true if the free list visits each item exactly once that was in use and is now free, and
/// no other item.
static bool free_list_is_sound(const bks_pool *pool)
{
    uint32_t left = pool->fresh - pool->live;
    uint32_t next = pool->first_free;
    for (; next != 0 && left > 0; left--) {
        if (next > pool->fresh || is_live(pool, next - 1)) {
            return false;
        }
        next = slots_of(pool)[next - 1].next_free;
    }
    return next == 0 && left == 0;
}

const char *bksi_pool_fault(const bks_pool *pool, uint64_t room_bytes, uint64_t *out_offset)
{
    *out_offset = 0;
    if (room_bytes < sizeof(*pool) || pool->magic != BKSI_POOL_MAGIC) {
        return "there is no pool at its place";
    }
    *out_offset = offsetof(bks_pool, live_bits_at);
    if (pool->item_bytes == 0 || pool->item_bytes > BKSI_POOL_ITEM_BYTES_MAX ||
        pool->capacity == 0 || pool->capacity > BKS_POOL_CAPACITY_MAX) {
        return "a pool's sizes are out of range";
    }
    const bks_pool plan = bksi_pool_planned(pool->item_bytes, pool->capacity);
    if (pool->live_bits_at != plan.live_bits_at || pool->items_at != plan.items_at ||
        pool->stride_bytes != plan.stride_bytes || bksi_pool_total_bytes(&plan) > room_bytes) {
        return "a pool's items do not lie where they should";
    }
    *out_offset = offsetof(bks_pool, name);
    if (pool->name[BKSI_POOL_NAME_BYTES - 1] != '\0') {
        return "a pool's name has no end";
    }
    *out_offset = offsetof(bks_pool, added);
    if (pool->fresh > pool->capacity || pool->live > pool->fresh || pool->high_water < pool->live ||
        pool->high_water > pool->capacity || pool->baseline > pool->capacity ||
        pool->added - pool->removed != pool->live) {
        return "a pool's counts contradict each other";
    }
    *out_offset = pool->live_bits_at;
    if (!live_bits_are_sound(pool)) {
        return "the number of a pool's live bits is not that of its items";
    }
    *out_offset = offsetof(bks_pool, first_free);
    return free_list_is_sound(pool) ? NULL : "a pool's free list is not its free slots";
}

bool bksi_pool_has_item(const bks_pool *pool, const void *item)
{
    const uint64_t offset = (uint64_t)(uintptr_t)item - (uint64_t)(uintptr_t)item_of(pool, 0);
    // For an address before the items the offset wraps around to a huge number.
    const uint64_t slot = offset / pool->stride_bytes;
    return slot < pool->capacity && offset % pool->stride_bytes == 0 &&
           is_live(pool, (uint32_t)slot);
}

uint32_t bksi_pool_fill_free(bks_pool *pool, uint8_t byte)
{
    uint32_t filled = 0;
    for (uint32_t slot = 0; slot < pool->capacity; slot++) {
        uint8_t *item = item_of(pool, slot);
        if (!is_live(pool, slot)) {
            filled += item[0] != byte ? 1 : 0;
            memset(item, byte, (size_t)pool->stride_bytes);
        }
    }
    return filled;
}

static bool refuse(const bks_pool *pool, const char *call)
{
    if (pool == NULL) {
        (void)bksi_fail_null(NULL, call, "pool");
    } else {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "pool",
                        "pool is no pool of a region's arena, or its header is damaged: must come "
                        "from bks_pool_create()");
    }
    return false;
}

/// Return true if `pool` is a pool of a region's arena, and not just bytes that look like one.
static inline bool is_pool(const bks_pool *pool, const char *call)
{
    return bksi_region_table_has_pool(pool) || refuse(pool, call);
}

/// Report that no item can be added: the pool is full, or its free list is damaged.
static BKSI_RARE bks_id refuse_item(const bks_pool *pool)
{
    if (pool->first_free != 0) {
        (void)bksi_fail(NULL, BKS_ERR_DAMAGED, "bks_pool_add", "pool",
                        "the free list of pool %.23s leads to slot %u, must be below %u",
                        pool->name, pool->first_free - 1, pool->fresh);
    }
    return 0;
}

bks_id bks_pool_add(bks_pool *pool, void **out_item)
{
    if (out_item != NULL) {
        *out_item = NULL;
    }
    if (!is_pool(pool, "bks_pool_add")) {
        return 0;
    }
    // The number wraps around at the end of the list, so it is above any slot.
    uint32_t slot = pool->first_free - 1;
    if (slot < pool->fresh) {
        pool->first_free = slots_of(pool)[slot].next_free;
        slots_of(pool)[slot].next_free = 0;
    } else if (pool->first_free == 0 && pool->fresh < pool->capacity) {
        slot = pool->fresh++;
    } else {
        return refuse_item(pool);
    }
    live_bits_of(pool)[slot / 64] |= UINT64_C(1) << (slot % 64);
    // Clear the item, because a game or a file may have written into it while it was free.
    memset(item_of(pool, slot), 0, (size_t)pool->stride_bytes);
    pool->added++;
    pool->live++;
    if (pool->live > pool->high_water) {
        pool->high_water = pool->live;
    }
    if (out_item != NULL) {
        *out_item = item_of(pool, slot);
    }
    return id_of(pool, slot);
}

/// Find the slot of a live item by its id. Return false if there is none.
static inline bool find(const bks_pool *pool, bks_id id, uint32_t *out_slot)
{
    // The number wraps around for the null id, so it is above any slot.
    const uint32_t slot = (id & 0xffffu) - 1;
    *out_slot = slot;
    return slot < pool->capacity && is_live(pool, slot) && id_of(pool, slot) == id;
}

static BKSI_RARE void *get_checked(const bks_pool *pool, bks_id id)
{
    uint32_t slot;
    return is_pool(pool, "bks_pool_get") && find(pool, id, &slot) ? item_of(pool, slot) : NULL;
}

void *bks_pool_get(const bks_pool *pool, bks_id id)
{
    uint32_t slot;
    if (!bksi_pool_is_cached(pool)) {
        return get_checked(pool, id);
    }
    return find(pool, id, &slot) ? item_of(pool, slot) : NULL;
}

bool bks_pool_remove(bks_pool *pool, bks_id id)
{
    uint32_t slot;
    if (!is_pool(pool, "bks_pool_remove") || !find(pool, id, &slot)) {
        return false;
    }
    // Clear the whole stride, because a game may have written into the padding.
    memset(item_of(pool, slot), 0, (size_t)pool->stride_bytes);
    live_bits_of(pool)[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    bksi_pool_slot *entry = &slots_of(pool)[slot];
    entry->generation++;
    entry->next_free = (uint16_t)pool->first_free;
    pool->first_free = slot + 1;
    pool->live--;
    pool->removed++;
    return true;
}

/// Return the next live item, from slot `*cursor` on.
static inline void *walk(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    const uint64_t *live_bits = live_bits_of(pool);
    for (uint32_t slot = *cursor; slot < pool->fresh; slot = (slot | 63) + 1) {
        const uint64_t rest = live_bits[slot / 64] >> (slot % 64);
        if (rest != 0) {
            slot += bksi_lowest_bit(rest);
            *cursor = slot + 1;
            if (out_id != NULL) {
                *out_id = id_of(pool, slot);
            }
            return item_of(pool, slot);
        }
    }
    *cursor = pool->fresh;
    if (out_id != NULL) {
        *out_id = 0;
    }
    return NULL;
}

static BKSI_RARE void *next_checked(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    static const char call[] = "bks_pool_next";
    if (out_id != NULL) {
        *out_id = 0;
    }
    if (!is_pool(pool, call)) {
        return NULL;
    }
    if (cursor == NULL) {
        (void)bksi_fail_null(NULL, call, "cursor");
        return NULL;
    }
    return walk(pool, cursor, out_id);
}

void *bks_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    const bool is_known = bksi_pool_is_cached(pool) && cursor != NULL;
    return is_known ? walk(pool, cursor, out_id) : next_checked(pool, cursor, out_id);
}

uint32_t bks_pool_count(const bks_pool *pool)
{
    if (!is_pool(pool, "bks_pool_count")) {
        return 0;
    }
    return pool->live;
}
