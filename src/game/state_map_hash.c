// SPDX-License-Identifier: MIT

// Hash of the values in a state, independent of memory layout: docs/spec/state-hash.md, "By map".

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/bytes.h"
#include "base/report.h"
#include "game/map_block.h"
#include "state/region.h"

static const char call[] = "bks_state_map_hash";

typedef struct hashing {
    const bks_state_map *map;
    const uint8_t *state;
    size_t count;
    bks_hasher hasher;
    bks_status status;
    bks_error *error;
} hashing;

static void add_number(hashing *h, uint64_t number)
{
    uint8_t bytes[8];
    bksi_put_u64(bytes, number);
    bks_hash_add(&h->hasher, bytes, sizeof(bytes));
}

static bool refuse(hashing *h, const bks_map_place *place, const char *what)
{
    h->status = bksi_fail(h->error, BKS_ERR_UNSUPPORTED, call, "state", "%s %s", place->name, what);
    return false;
}

/// Hash a reference by its target, because the distance to the target depends on padding.
static bool add_ref(hashing *h, const bks_map_place *place)
{
    char text[sizeof(place->name) + 32];
    h->status = bks_state_map_value(h->map, h->state, h->count, place, text, sizeof(text));
    bks_hash_add(&h->hasher, text, strlen(text));
    return h->status == BKS_OK;
}

static bool add_value(hashing *h, const bks_map_place *place)
{
    const bks_map_type *type = &h->map->types[place->type];
    const uint8_t *at = h->state + place->begin_bytes;
    const uint64_t bytes = place->end_bytes - place->begin_bytes;
    const bool is_number = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (type->kind == BKS_MAP_BYTES) {
        bks_hash_add(&h->hasher, at, (size_t)bytes);
        return true;
    }
    if (type->kind == BKS_MAP_REF) {
        return add_ref(h, place);
    }
    if (!is_number && place->bits == 0) {
        return refuse(h, place, "is a number of a size that not all machines have");
    }
    if (type->kind == BKS_MAP_FLOAT && bytes < 4) {
        return refuse(h, place, "is a float of a size that not all machines have");
    }
    uint64_t number = place->bits > 0 ? bksi_map_bits(at, place) : bksi_map_number(at, bytes);
    if (type->kind == BKS_MAP_POINTER && number != 0) {
        return refuse(h, place, "is an address, which means nothing on another machine");
    }
    if (type->kind == BKS_MAP_INT) {
        number = (uint64_t)bksi_map_signed(number, place->bits > 0 ? place->bits : bytes * 8);
    }
    add_number(h, number);
    return true;
}

static bool visit(void *context, const bks_map_place *place)
{
    hashing *h = context;
    switch (place->use) {
    case BKS_MAP_LIVE:
        if (place->type == UINT32_MAX) {
            return refuse(h, place, "is of no known type");
        }
        return add_value(h, place);
    case BKS_MAP_UNNAMED:
        return refuse(h, place, "is in use, and the map does not say for what");
    case BKS_MAP_PADDING:
    case BKS_MAP_FREE:
    case BKS_MAP_BOOKKEEPING:
        break;
    }
    return true;
}

/// Hash the bookkeeping of a pool on which later ticks depend: the slots in use and the order of
/// free slots.
static void add_pool(hashing *h, const bksi_arena_scan *scan, const bksi_pool_walk *walk)
{
    const bks_pool *pool = &walk->pool;
    const uint64_t numbers[] = {pool->added, pool->removed,    pool->capacity,   pool->live,
                                pool->fresh, pool->first_free, pool->high_water, pool->baseline};
    bks_hash_add(&h->hasher, pool->name, strlen(pool->name));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        add_number(h, numbers[i]);
    }
    for (uint32_t i = 0; i < pool->fresh && i < pool->capacity; i++) {
        bksi_pool_slot slot;
        bool is_live = false;
        (void)bksi_arena_scan_slot(scan, walk->at, pool, i, &is_live);
        memcpy(&slot, scan->bytes + walk->at + sizeof(*pool) + i * sizeof(slot), sizeof(slot));
        add_number(h, (uint64_t)is_live << 32 | (uint64_t)slot.next_free << 16 | slot.generation);
    }
}

static void add_pools(hashing *h)
{
    bksi_arena_scan scan = {.bytes = h->state, .count = h->count};
    if (!h->map->has_arena ||
        !bksi_arena_scan_at(&scan, bksi_arena_place(h->map->types[0].bytes))) {
        return;
    }
    bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
    while (bksi_pool_walk_next(&scan, &walk)) {
        add_pool(h, &scan, &walk);
    }
}

bks_status bks_state_map_hash(const bks_state_map *map, const void *state, size_t count,
                              uint64_t *out, bks_error *error)
{
    if (map == NULL || out == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(error, call, map == NULL ? "map" : out == NULL ? "out" : "state");
    }
    hashing h = {
        .map = map, .state = state, .count = count, .hasher = bksi_hasher_begin(), .error = error};
    const bks_state_names names = {.map = map};
    const bks_status walked = bks_state_walk(&names, state, count, visit, &h);
    if (h.status != BKS_OK || (walked != BKS_OK && walked != BKS_OVER)) {
        return h.status != BKS_OK ? h.status : walked;
    }
    if (walked == BKS_OVER) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "state",
                         "more references are to be followed than a walk over a state follows");
    }
    add_pools(&h);
    *out = bksi_hasher_end(&h.hasher);
    return BKS_OK;
}
