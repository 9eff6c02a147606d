// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "game/map_block.h"

enum { HEX_BYTES_MAX = 16 };

typedef struct value {
    const bks_state_map *map;
    bksi_arena_scan scan;
    const bks_map_type *type;
    uint64_t number;
    uint32_t bits; ///< size in bits; a multiple of 8, except for a bit-field
    char *out;
    size_t capacity;
} value;

static void write_float(const value *v)
{
    float single;
    double twice;
    if (v->bits == 8 * sizeof(single)) {
        const uint32_t bits = (uint32_t)v->number;
        memcpy(&single, &bits, sizeof(single));
        (void)snprintf(v->out, v->capacity, "%.9g (0x%08" PRIx32 ")", (double)single, bits);
    } else {
        memcpy(&twice, &v->number, sizeof(twice));
        (void)snprintf(v->out, v->capacity, "%.17g (0x%016" PRIx64 ")", twice, v->number);
    }
}

static void write_enum(const value *v)
{
    const int64_t negative = bksi_map_signed(v->number, v->bits);
    for (uint32_t i = 0; i < v->type->enumerator_count; i++) {
        const bks_map_enumerator *one = &v->type->enumerators[i];
        if ((uint64_t)one->value == v->number || one->value == negative) {
            (void)snprintf(v->out, v->capacity, "%s (%" PRId64 ")", one->name, one->value);
            return;
        }
    }
    (void)snprintf(v->out, v->capacity, "%" PRIu64 " (no %s)", v->number,
                   v->type->name[0] != '\0' ? v->type->name : "enumerator");
}

static void write_ref(const value *v, uint64_t at)
{
    const uint64_t target = at + v->number;
    bks_pool pool;
    bks_map_place place;
    if (v->number == 0) {
        (void)snprintf(v->out, v->capacity, "null");
    } else if (target >= v->scan.count) {
        (void)snprintf(v->out, v->capacity, "outside the state (distance %" PRId64 ")",
                       (int64_t)v->number);
    } else if (bksi_arena_scan_pool(&v->scan, target, &pool)) {
        (void)snprintf(v->out, v->capacity, "pool %s", pool.name);
    } else if (bks_state_map_find(v->map, v->scan.bytes, (size_t)v->scan.count, target, 0,
                                  &place) == BKS_OK) {
        (void)snprintf(v->out, v->capacity, "%s%s", target == place.begin_bytes ? "" : "inside ",
                       place.name);
    }
}

/// Return true if the arena has a pool called `name`.
static bool find_pool(const value *v, const char *name, uint64_t *out_at, bks_pool *out)
{
    bksi_arena_scan scan = v->scan;
    if (!v->map->has_arena ||
        !bksi_arena_scan_at(&scan, bksi_arena_place(v->map->types[0].bytes))) {
        return false;
    }
    bksi_pool_walk walk = bksi_pool_walk_begin(&scan);
    while (bksi_pool_walk_next(&scan, &walk)) {
        if (strncmp(walk.pool.name, name, BKSI_POOL_NAME_BYTES - 1) == 0) {
            *out_at = walk.at;
            *out = walk.pool;
            return true;
        }
    }
    return false;
}

static void write_id(const value *v)
{
    const uint32_t id = (uint32_t)v->number;
    const uint32_t slot = (id & 0xFFFF) - 1;
    const char *name = v->type->pool;
    bks_pool pool;
    uint64_t at = 0;
    if (id == 0) {
        (void)snprintf(v->out, v->capacity, "null");
    } else if (name == NULL || !find_pool(v, name, &at, &pool)) {
        (void)snprintf(v->out, v->capacity, "slot %" PRIu32 ", generation %u", slot, id >> 16);
    } else {
        bool is_live = false;
        const uint16_t generation = bksi_arena_scan_slot(&v->scan, at, &pool, slot, &is_live);
        (void)snprintf(v->out, v->capacity, "%s[%" PRIu32 "], generation %u%s", pool.name, slot,
                       id >> 16, is_live && generation == id >> 16 ? "" : " (stale)");
    }
}

/// Write bytes in the order in which they are in memory.
static void write_bytes(const uint8_t *bytes, uint64_t count, char *out, size_t capacity)
{
    out[0] = '\0';
    for (uint64_t i = 0; i < count && i < HEX_BYTES_MAX; i++) {
        bksi_map_add(out, capacity, "%s%02x", i > 0 ? " " : "", bytes[i]);
    }
    if (count > HEX_BYTES_MAX) {
        bksi_map_add(out, capacity, " ...");
    }
}

static void write_char(const value *v)
{
    const int code = (int)v->number;
    if (code >= 0x20 && code <= 0x7E) {
        (void)snprintf(v->out, v->capacity, "'%c' (%d)", code, code);
    } else {
        (void)snprintf(v->out, v->capacity, "%d", code);
    }
}

static void write_value(const value *v, uint64_t at)
{
    switch (v->type->kind) {
    case BKS_MAP_UINT:
        (void)snprintf(v->out, v->capacity, "%" PRIu64, v->number);
        break;
    case BKS_MAP_INT:
        (void)snprintf(v->out, v->capacity, "%" PRId64, bksi_map_signed(v->number, v->bits));
        break;
    case BKS_MAP_BOOL:
        (void)snprintf(v->out, v->capacity, "%s (%" PRIu64 ")",
                       v->number == 0   ? "false"
                       : v->number == 1 ? "true"
                                        : "no bool",
                       v->number);
        break;
    case BKS_MAP_POINTER:
        (void)snprintf(v->out, v->capacity, "0x%" PRIx64, v->number);
        break;
    case BKS_MAP_CHAR:
        write_char(v);
        break;
    case BKS_MAP_FLOAT:
        write_float(v);
        break;
    case BKS_MAP_ENUM:
        write_enum(v);
        break;
    case BKS_MAP_REF:
        write_ref(v, at);
        break;
    case BKS_MAP_ID:
        write_id(v);
        break;
    case BKS_MAP_BYTES:
    case BKS_MAP_STRUCT:
    case BKS_MAP_UNION:
        break;
    }
}

static void write_bits(const value *v, const bks_map_place *place, const uint8_t *bytes)
{
    value field = *v;
    field.number = bksi_map_bits(bytes, place);
    field.bits = place->bits < 64 ? place->bits : 64;
    write_value(&field, place->begin_bytes);
}

bks_status bks_state_map_value(const bks_state_map *map, const void *state, size_t count,
                               const bks_map_place *place, char *out, size_t capacity)
{
    static const char call[] = "bks_state_map_value";
    if (map == NULL || place == NULL || out == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call,
                              map == NULL     ? "map"
                              : place == NULL ? "place"
                              : out == NULL   ? "out"
                                              : "state");
    }
    if (capacity == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                         "capacity is 0, must be at least 1");
    }
    out[0] = '\0';
    if (place->end_bytes > count || place->begin_bytes >= place->end_bytes) {
        return BKS_OK;
    }
    const uint8_t *bytes = (const uint8_t *)state + place->begin_bytes;
    const uint64_t length = place->end_bytes - place->begin_bytes;
    if (place->type >= map->type_count || bksi_map_is_aggregate(&map->types[place->type])) {
        write_bytes(bytes, length, out, capacity);
        return BKS_OK;
    }
    const value v = {.map = map,
                     .scan = {.bytes = state, .count = count},
                     .type = &map->types[place->type],
                     .number = bksi_map_number(bytes, length),
                     .bits = length < 8 ? (uint32_t)length * 8 : 64,
                     .out = out,
                     .capacity = capacity};
    const bool is_float = v.type->kind == BKS_MAP_FLOAT;
    if (place->bits > 0) {
        write_bits(&v, place, bytes);
    } else if (v.type->kind == BKS_MAP_BYTES || (is_float && length != 4 && length != 8)) {
        write_bytes(bytes, length, out, capacity);
    } else {
        write_value(&v, place->begin_bytes);
    }
    return BKS_OK;
}
