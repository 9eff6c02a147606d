// SPDX-License-Identifier: MIT

#include <string.h>

#include "state/arena_layout.h"

bool bksi_arena_scan_at(bksi_arena_scan *scan, uint64_t at)
{
    bks_arena *arena = &scan->arena;
    scan->has_arena = false;
    if (scan->count >= sizeof(*arena) && at <= scan->count - sizeof(*arena)) {
        memcpy(arena, scan->bytes + at, sizeof(*arena));
        scan->has_arena = arena->magic == BKSI_ARENA_MAGIC && arena->offset_bytes == at &&
                          arena->used_bytes <= scan->count;
    }
    return scan->has_arena;
}

bool bksi_arena_scan_search(bksi_arena_scan *scan)
{
    for (uint64_t at = 16; at < scan->count; at += 16) {
        if (bksi_arena_scan_at(scan, at)) {
            return true;
        }
    }
    return false;
}

bool bksi_arena_scan_pool(const bksi_arena_scan *scan, uint64_t at, bks_pool *out)
{
    if (at % 16 != 0 || scan->count < sizeof(*out) || at > scan->count - sizeof(*out)) {
        return false;
    }
    memcpy(out, scan->bytes + at, sizeof(*out));
    const uint64_t room = scan->count - at;
    out->name[sizeof(out->name) - 1] = '\0';
    for (char *c = out->name; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7E ? '?' : *c;
    }
    return out->magic == BKSI_POOL_MAGIC && out->items_at >= sizeof(*out) &&
           out->items_at <= room && out->stride_bytes > 0 && out->item_bytes <= out->stride_bytes &&
           out->capacity <= (room - out->items_at) / out->stride_bytes;
}

bksi_pool_walk bksi_pool_walk_begin(const bksi_arena_scan *scan)
{
    return (bksi_pool_walk){.end = scan->arena.offset_bytes + sizeof(bks_arena),
                            .next_at = scan->arena.first_pool_offset};
}

bool bksi_pool_walk_next(const bksi_arena_scan *scan, bksi_pool_walk *walk)
{
    if (walk->next_at < walk->end || !bksi_arena_scan_pool(scan, walk->next_at, &walk->pool)) {
        return false;
    }
    walk->at = walk->next_at;
    walk->end = walk->at + bksi_pool_total_bytes(&walk->pool);
    walk->next_at = walk->pool.next_pool_offset;
    return true;
}

uint16_t bksi_arena_scan_slot(const bksi_arena_scan *scan, uint64_t at, const bks_pool *pool,
                              uint32_t slot, bool *out_is_live)
{
    const bks_pool plan = bksi_pool_planned(pool->item_bytes, pool->capacity);
    *out_is_live = false;
    // Only trust a pool whose items are where the planned layout puts them: then its bookkeeping
    // lies before the items, and so within the state.
    if (slot >= pool->capacity || plan.items_at != pool->items_at) {
        return 0;
    }
    uint64_t word;
    bksi_pool_slot entry;
    memcpy(&word, scan->bytes + at + plan.live_bits_at + slot / 64 * sizeof(word), sizeof(word));
    memcpy(&entry, scan->bytes + at + sizeof(bks_pool) + slot * sizeof(entry), sizeof(entry));
    *out_is_live = (word >> (slot % 64) & 1) != 0;
    return entry.generation;
}

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

/// Return true if the last word of the live bits has no bit beyond the last item.
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
