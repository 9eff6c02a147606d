// SPDX-License-Identifier: MIT

// Parts of a state from its start to its end. The bytes may be hostile.

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"

#include <string.h>

#include "base/report.h"
#include "state/arena_layout.h"

/// List of the parts found so far.
typedef struct parts {
    bks_memory_part *out;
    uint32_t capacity;
    uint32_t count; ///< number of parts found, which may exceed the capacity
    uint64_t at;    ///< end of the last part found
} parts;

/// Add a part that ends at `end`, unless it is empty.
static bks_memory_part *add(parts *to, bks_memory_kind kind, uint64_t end)
{
    if (end <= to->at) {
        return NULL;
    }
    const bks_memory_part part = {.kind = kind, .offset_bytes = to->at, .bytes = end - to->at};
    to->at = end;
    if (to->count++ >= to->capacity) {
        return NULL;
    }
    to->out[to->count - 1] = part;
    return &to->out[to->count - 1];
}

static void add_pool(parts *to, const bksi_pool_walk *walk)
{
    const bks_pool *pool = &walk->pool;
    bks_memory_part *part = add(to, BKS_MEMORY_POOL, walk->end);
    if (part != NULL) {
        memcpy(part->name, pool->name, sizeof(part->name));
        part->item_bytes = pool->item_bytes;
        part->capacity = pool->capacity;
        part->live = pool->live;
        part->high_water = pool->high_water;
        part->leaked = pool->live > pool->baseline ? pool->live - pool->baseline : 0;
        part->added = pool->added;
    }
}

static void add_arena(parts *to, const bksi_arena_scan *scan)
{
    (void)add(to, BKS_MEMORY_ROOT, scan->arena.offset_bytes);
    (void)add(to, BKS_MEMORY_HEAD, scan->arena.offset_bytes + sizeof(bks_arena));
    bksi_pool_walk walk = bksi_pool_walk_begin(scan);
    while (bksi_pool_walk_next(scan, &walk) && walk.end <= scan->arena.used_bytes) {
        (void)add(to, BKS_MEMORY_BLOCKS, walk.at);
        add_pool(to, &walk);
    }
    (void)add(to, BKS_MEMORY_BLOCKS, scan->arena.used_bytes);
    (void)add(to, BKS_MEMORY_FREE, scan->count);
}

uint32_t bks_state_memory(const void *state, size_t count, size_t root_bytes, bks_memory_part *out,
                          uint32_t capacity)
{
    if ((state == NULL && count > 0) || (out == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_state_memory", state == NULL ? "state" : "out");
        return 0;
    }
    if (count == 0) {
        return 0;
    }
    parts to = {.out = out, .capacity = capacity};
    bksi_arena_scan scan = {.bytes = state, .count = count};
    if (root_bytes > 0 && bksi_arena_scan_at(&scan, bksi_arena_place(root_bytes))) {
        add_arena(&to, &scan);
    } else {
        (void)add(&to, BKS_MEMORY_ROOT, count);
    }
    return to.count;
}
