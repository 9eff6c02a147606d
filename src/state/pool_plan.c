// SPDX-License-Identifier: MIT

#include "state/pool_plan.h"

_Static_assert(sizeof(struct bks_pool) == 112, "a pool's header has no padding");
_Static_assert(sizeof(bksi_pool_slot) == 4, "a slot has no padding");

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

static bool lies_as_planned(const bks_pool *pool, uint64_t room_bytes)
{
    if (pool->magic != BKSI_POOL_MAGIC || pool->item_bytes == 0 ||
        pool->item_bytes > BKSI_POOL_ITEM_BYTES_MAX || pool->capacity == 0 ||
        pool->capacity > BKS_POOL_CAPACITY_MAX) {
        return false;
    }
    const bks_pool plan = bksi_pool_planned(pool->item_bytes, pool->capacity);
    return pool->live_bits_at == plan.live_bits_at && pool->items_at == plan.items_at &&
           pool->stride_bytes == plan.stride_bytes && bksi_pool_total_bytes(&plan) <= room_bytes;
}

/// The last word of the live bits may have room for more items than there are.
static bool is_last_word_sound(const bks_pool *pool)
{
    const uint64_t *bits = (const void *)((const uint8_t *)pool + pool->live_bits_at);
    const uint32_t rest = pool->capacity % 64;
    return rest == 0 || bits[pool->capacity / 64] >> rest == 0;
}

bool bksi_pool_is_usable(const bks_pool *pool, uint64_t room_bytes)
{
    return room_bytes >= sizeof(*pool) && lies_as_planned(pool, room_bytes) &&
           pool->fresh <= pool->capacity && pool->live <= pool->fresh &&
           pool->first_free <= pool->fresh && is_last_word_sound(pool);
}
