// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/report.h"
#include "state/arena.h"

_Static_assert(sizeof(struct bks_pool) == 112, "a pool's header has no padding");
_Static_assert(sizeof(bksi_pool_slot) == 4, "a slot has no padding");
_Static_assert(BKS_POOL_CAPACITY_MAX <= UINT16_MAX, "slot + 1 fits the lower half of an id");

static uint64_t round_up(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

bks_pool bksi_pool_planned(uint64_t item_bytes, uint32_t capacity)
{
    uint64_t slots_end = sizeof(bks_pool) + (uint64_t)capacity * sizeof(bksi_pool_slot);
    uint64_t live_bits_at = round_up(slots_end, sizeof(uint64_t));
    uint64_t words = (capacity + UINT64_C(63)) / 64;
    return (bks_pool){
        .magic = BKSI_POOL_MAGIC,
        .live_bits_at = live_bits_at,
        .items_at = round_up(live_bits_at + words * sizeof(uint64_t), 16),
        .item_bytes = item_bytes,
        .stride_bytes = round_up(item_bytes, 16),
        .capacity = capacity,
    };
}

uint64_t bksi_pool_total_bytes(const bks_pool *pool)
{
    return pool->items_at + pool->stride_bytes * pool->capacity;
}

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

/// slot + 1 in the lower half is never 0, so no id is, whatever the generation wraps to.
static bks_id id_of(const bks_pool *pool, uint32_t slot)
{
    return (bks_id)slots_of(pool)[slot].generation << 16 | (slot + 1);
}

/// Live bits: none from `fresh` on, and as many as the pool says.
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

/// The free list visits used, dead slots, each once: as many of them as there are.
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

bool bksi_pool_is_sound(const bks_pool *pool, uint64_t room_bytes)
{
    if (room_bytes < sizeof(*pool) || pool->magic != BKSI_POOL_MAGIC || pool->item_bytes == 0 ||
        pool->item_bytes > BKSI_POOL_ITEM_BYTES_MAX || pool->capacity == 0 ||
        pool->capacity > BKS_POOL_CAPACITY_MAX) {
        return false;
    }
    bks_pool plan = bksi_pool_planned(pool->item_bytes, pool->capacity);
    if (pool->live_bits_at != plan.live_bits_at || pool->items_at != plan.items_at ||
        pool->stride_bytes != plan.stride_bytes || bksi_pool_total_bytes(&plan) > room_bytes) {
        return false;
    }
    return pool->name[BKSI_POOL_NAME_BYTES - 1] == '\0' && pool->fresh <= pool->capacity &&
           pool->live <= pool->fresh && pool->high_water >= pool->live &&
           pool->high_water <= pool->capacity && pool->baseline <= pool->capacity &&
           pool->added - pool->removed == pool->live && live_bits_are_sound(pool) &&
           free_list_is_sound(pool);
}

bks_id bks_pool_add(bks_pool *pool, void **out_item)
{
    if (out_item != NULL) {
        *out_item = NULL;
    }
    if (pool == NULL) {
        (void)bksi_fail_null(NULL, "bks_pool_add", "pool");
        return 0;
    }
    uint32_t slot;
    if (pool->first_free != 0) {
        slot = pool->first_free - 1;
        pool->first_free = slots_of(pool)[slot].next_free;
        slots_of(pool)[slot].next_free = 0;
    } else if (pool->fresh < pool->capacity) {
        slot = pool->fresh++;
    } else {
        return 0;
    }
    live_bits_of(pool)[slot / 64] |= UINT64_C(1) << (slot % 64);
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

/// True when the id names a live item, whose slot is then `*out_slot`.
static bool find(const bks_pool *pool, bks_id id, uint32_t *out_slot, const char *call)
{
    if (pool == NULL) {
        (void)bksi_fail_null(NULL, call, "pool");
        return false;
    }
    uint32_t slot = (id & 0xffffu) - 1; // wraps to above any capacity for the null id
    if (slot >= pool->capacity || !is_live(pool, slot) || id_of(pool, slot) != id) {
        return false;
    }
    *out_slot = slot;
    return true;
}

void *bks_pool_get(const bks_pool *pool, bks_id id)
{
    uint32_t slot;
    return find(pool, id, &slot, "bks_pool_get") ? item_of(pool, slot) : NULL;
}

bool bks_pool_remove(bks_pool *pool, bks_id id)
{
    uint32_t slot;
    if (!find(pool, id, &slot, "bks_pool_remove")) {
        return false;
    }
    // The whole stride: a game may have written into the padding behind its item.
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

void *bks_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    if (out_id != NULL) {
        *out_id = 0;
    }
    if (pool == NULL || cursor == NULL) {
        (void)bksi_fail_null(NULL, "bks_pool_next", pool == NULL ? "pool" : "cursor");
        return NULL;
    }
    uint32_t slot = *cursor;
    while (slot < pool->fresh) {
        uint64_t rest = live_bits_of(pool)[slot / 64] >> (slot % 64);
        if (rest == 0) {
            slot = (slot / 64 + 1) * 64;
        } else if ((rest & 1) == 0) {
            slot++;
        } else {
            *cursor = slot + 1;
            if (out_id != NULL) {
                *out_id = id_of(pool, slot);
            }
            return item_of(pool, slot);
        }
    }
    *cursor = pool->fresh;
    return NULL;
}

uint32_t bks_pool_count(const bks_pool *pool)
{
    if (pool == NULL) {
        (void)bksi_fail_null(NULL, "bks_pool_count", "pool");
        return 0;
    }
    return pool->live;
}
