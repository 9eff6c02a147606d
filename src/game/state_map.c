// SPDX-License-Identifier: MIT

// Nothing in the state is trusted, because the state may come from a file. The map was checked.

#include "backstitch/toolkit/state_map.h"

#include <stdio.h>

#include "base/report.h"
#include "game/map_block.h"

/// A lookup of one byte.
typedef struct search {
    const bks_state_map *map;
    bksi_arena_scan scan;
    uint64_t offset;
    uint32_t bit;
    bksi_map_known *known; ///< cache of blocks; may be NULL
    bks_map_place *out;
} search;

/// Describe the bytes from `begin` to `end`, which hold no value of the game: they are padding,
/// free, bookkeeping or unnamed.
static void say_other(const search *s, bks_map_use use, uint64_t begin, uint64_t end)
{
    static const char *const objects[] = {"", "(padding)", "(free)", "(arena)", "(unnamed)"};
    bks_map_place *out = s->out;
    out->use = use;
    out->type = UINT32_MAX;
    out->begin_bytes = begin;
    out->end_bytes = end;
    (void)snprintf(out->object, sizeof(out->object), "%s", objects[use]);
    (void)snprintf(out->field, sizeof(out->field), "byte %llu", (unsigned long long)s->offset);
}

/// Describe bytes of an object whose values have no known type.
static void say_bytes(const search *s, uint64_t begin, uint64_t end)
{
    bks_map_place *out = s->out;
    out->use = BKS_MAP_LIVE;
    out->type = UINT32_MAX;
    out->begin_bytes = begin;
    out->end_bytes = end;
    if (out->object[0] == '\0') {
        (void)snprintf(out->object, sizeof(out->object), "root");
    }
    bksi_map_add(out->field, sizeof(out->field), "%sbyte %llu", out->field[0] != '\0' ? "." : "",
                 (unsigned long long)(s->offset - begin));
}

/// Append to `name` the object and field that are known so far.
static void add_name(const bks_map_place *place, char *name, size_t capacity)
{
    const bool has_both = place->object[0] != '\0' && place->field[0] != '\0';
    bksi_map_add(name, capacity, "%s%s%s", place->object,
                 has_both && place->field[0] != '[' ? "." : "", place->field);
}

/// Return the offset in bits of a member in its struct.
static uint64_t bits_begin(const bks_map_member *member)
{
    return member->offset_bytes * 8 + member->bit_offset;
}

static uint64_t bits_end(const search *s, const bks_map_member *member)
{
    return member->bits > 0 ? bits_begin(member) + member->bits
                            : member->offset_bytes * 8 +
                                  8 * bksi_map_elements(member) * s->map->types[member->type].bytes;
}

static void say_padding(const search *s, const bks_map_type *type, uint64_t base)
{
    const uint64_t at = (s->offset - base) * 8 + s->bit;
    const bks_map_member *before = NULL;
    uint64_t begin = 0;
    uint64_t end = type->bytes * 8;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const bks_map_member *member = &type->members[i];
        const uint64_t member_end = bits_end(s, member);
        if (member_end <= at && member_end >= begin) {
            begin = member_end;
            before = member;
        } else if (bits_begin(member) > at && bits_begin(member) < end) {
            end = bits_begin(member);
        }
    }
    bks_map_place *out = s->out;
    if (before != NULL) {
        char name[sizeof(out->note) - 8] = "";
        add_name(out, name, sizeof(name));
        bksi_map_add(name, sizeof(name), "%s", name[0] == '\0' ? "root" : "");
        bksi_map_add_member(name, sizeof(name), before, bksi_map_elements(before) - 1);
        (void)snprintf(out->note, sizeof(out->note), "behind %s", name);
    }
    say_other(s, BKS_MAP_PADDING, base + begin / 8, base + (end + 7) / 8);
}

/// Find the case of a union that the number stored beside the union selects.
/// @return index of the case, UINT32_MAX if no case is selected
static uint32_t find_case(const search *s, uint32_t number, uint64_t base, uint32_t member)
{
    const bks_state_map *map = s->map;
    for (uint32_t i = 0; i < map->case_count; i++) {
        const bks_map_case *one = &map->cases[i];
        if (one->type != number || one->member != member) {
            continue;
        }
        const bks_map_member *by = &map->types[number].members[one->by];
        const uint64_t bytes = map->types[by->type].bytes;
        const uint64_t mask = bytes < 8 ? (UINT64_C(1) << (bytes * 8)) - 1 : UINT64_MAX;
        const uint64_t at = base + by->offset_bytes;
        if (bytes <= s->scan.count && at <= s->scan.count - bytes &&
            bksi_map_number(s->scan.bytes + at, bytes) == ((uint64_t)one->value & mask)) {
            return one->selected;
        }
    }
    return UINT32_MAX;
}

/// Describe a value without members as the result of the lookup.
static void say_value(const search *s, uint32_t type, uint64_t begin, const bks_map_member *member)
{
    bks_map_place *out = s->out;
    out->use = BKS_MAP_LIVE;
    out->type = type;
    out->begin_bytes = begin;
    out->end_bytes = begin + s->map->types[type].bytes;
    if (member != NULL && member->bits > 0) {
        out->begin_bytes = begin + member->bit_offset / 8;
        out->bit_offset = member->bit_offset % 8;
        out->bits = member->bits;
        out->end_bytes = out->begin_bytes + (out->bit_offset + out->bits + 7u) / 8;
    }
}

/// Add a member to the name in the result. A struct, union or array that is a member of the root
/// becomes the object of the result.
static void name_member(const search *s, const bks_map_member *member, uint64_t element)
{
    bks_map_place *out = s->out;
    const bool is_aggregate = bksi_map_is_aggregate(&s->map->types[member->type]);
    if (out->object[0] != '\0' || (member->name[0] == '\0' && is_aggregate)) {
        bksi_map_add_member(out->field, sizeof(out->field), member, element);
    } else if (is_aggregate) {
        bksi_map_add_member(out->object, sizeof(out->object), member, element);
    } else if (member->count[0] > 0) {
        const bks_map_member index = {
            .name = "", .count = {member->count[0], member->count[1], member->count[2]}};
        (void)snprintf(out->object, sizeof(out->object), "%s", member->name);
        bksi_map_add_member(out->field, sizeof(out->field), &index, element);
    } else {
        (void)snprintf(out->object, sizeof(out->object), "root");
        (void)snprintf(out->field, sizeof(out->field), "%s", member->name);
    }
}

/// Return true if a member of a struct or union at `base` holds the bit.
static bool holds_bit(const search *s, const bks_map_member *member, uint64_t base)
{
    const uint64_t at = (s->offset - base) * 8 + s->bit;
    return at >= bits_begin(member) && at < bits_end(s, member);
}

/// Return the index of the member of a struct that holds the bit, UINT32_MAX if none does.
static uint32_t find_member(const search *s, const bks_map_type *type, uint64_t base)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (holds_bit(s, &type->members[i], base)) {
            return i;
        }
    }
    return UINT32_MAX;
}

/// Descend from the value at `base` to the value without members that holds the byte.
static void descend(const search *s, uint32_t number, uint64_t base)
{
    uint32_t selected = UINT32_MAX; // selected member of a union
    for (;;) {
        const bks_map_type *type = &s->map->types[number];
        if (!bksi_map_is_aggregate(type)) {
            say_value(s, number, base, NULL);
            return;
        }
        const bool is_union = type->kind == BKS_MAP_UNION;
        if (is_union && selected == UINT32_MAX) {
            say_bytes(s, base, base + type->bytes);
            return;
        }
        const uint32_t at = is_union ? selected : find_member(s, type, base);
        if (at == UINT32_MAX || !holds_bit(s, &type->members[at], base)) {
            say_padding(s, type, base);
            return;
        }
        const bks_map_member *member = &type->members[at];
        const uint64_t begin = base + member->offset_bytes;
        const uint64_t bytes = s->map->types[member->type].bytes;
        const uint64_t element = member->bits > 0 ? 0 : (s->offset - begin) / bytes;
        name_member(s, member, element);
        if (member->bits > 0) {
            say_value(s, member->type, begin, member);
            return;
        }
        selected = find_case(s, number, base, at);
        number = member->type;
        base = begin + element * bytes;
    }
}

/// Descend into element `index` of an array called `name`.
static void descend_element(const search *s, const char *name, uint64_t index, uint32_t type,
                            uint64_t base)
{
    bks_map_place *out = s->out;
    char *to = bksi_map_is_aggregate(&s->map->types[type]) ? out->object : out->field;
    (void)snprintf(out->object, sizeof(out->object), "%s", name);
    bksi_map_add(to, sizeof(out->object), "[%llu]", (unsigned long long)index);
    descend(s, type, base);
}

/// Field of the header of an arena or pool, or array after a pool's header.
typedef struct header_field {
    uint16_t begin;
    uint16_t bytes;
    const char *name;
} header_field;

#define HEADER_FIELD(type, member)                                   \
    {                                                                \
        offsetof(type, member), sizeof(((type *)0)->member), #member \
    }

static const header_field arena_fields[] = {
    HEADER_FIELD(bks_arena, magic),
    HEADER_FIELD(bks_arena, offset_bytes),
    HEADER_FIELD(bks_arena, used_bytes),
    HEADER_FIELD(bks_arena, capacity_bytes),
    HEADER_FIELD(bks_arena, first_pool_offset),
    HEADER_FIELD(bks_arena, last_pool_offset),
    HEADER_FIELD(bks_arena, pool_count),
    HEADER_FIELD(bks_arena, unused),
};

static const header_field pool_fields[] = {
    HEADER_FIELD(bks_pool, magic),        HEADER_FIELD(bks_pool, next_pool_offset),
    HEADER_FIELD(bks_pool, name),         HEADER_FIELD(bks_pool, live_bits_at),
    HEADER_FIELD(bks_pool, items_at),     HEADER_FIELD(bks_pool, item_bytes),
    HEADER_FIELD(bks_pool, stride_bytes), HEADER_FIELD(bks_pool, added),
    HEADER_FIELD(bks_pool, removed),      HEADER_FIELD(bks_pool, capacity),
    HEADER_FIELD(bks_pool, live),         HEADER_FIELD(bks_pool, fresh),
    HEADER_FIELD(bks_pool, first_free),   HEADER_FIELD(bks_pool, high_water),
    HEADER_FIELD(bks_pool, baseline),
};

/// Describe the field of a header that holds the byte.
/// @return true if one of the fields holds the byte
static bool say_header(const search *s, const header_field *fields, size_t count, uint64_t at,
                       const char *of)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t begin = at + fields[i].begin;
        if (s->offset >= begin && s->offset - begin < fields[i].bytes) {
            (void)snprintf(s->out->note, sizeof(s->out->note), "%s: %s", of, fields[i].name);
            say_other(s, BKS_MAP_BOOKKEEPING, begin, begin + fields[i].bytes);
            return true;
        }
    }
    return false;
}

/// Name the bookkeeping bytes of a pool.
static void say_pool_bookkeeping(const search *s, uint64_t at, const bks_pool *pool)
{
    char of[40];
    (void)snprintf(of, sizeof(of), "pool %s", pool->name);
    if (say_header(s, pool_fields, sizeof(pool_fields) / sizeof(pool_fields[0]), at, of)) {
        return;
    }
    const uint64_t slots = at + sizeof(*pool);
    const uint64_t slot = (s->offset - slots) / sizeof(bksi_pool_slot);
    if (slot < pool->capacity) {
        const uint64_t begin = slots + slot * sizeof(bksi_pool_slot);
        const bool is_generation = s->offset - begin < 2;
        (void)snprintf(s->out->note, sizeof(s->out->note), "%s: %s of slot %llu", of,
                       is_generation ? "generation" : "next_free", (unsigned long long)slot);
        say_other(s, BKS_MAP_BOOKKEEPING, begin + (is_generation ? 0 : 2),
                  begin + (is_generation ? 2 : 4));
    } else {
        (void)snprintf(s->out->note, sizeof(s->out->note), "%s: which items are live", of);
        say_other(s, BKS_MAP_BOOKKEEPING, slots + pool->capacity * sizeof(bksi_pool_slot),
                  at + pool->items_at);
    }
}

static void say_pool(const search *s, uint64_t at, const bks_pool *pool)
{
    const uint64_t items = at + pool->items_at;
    if (s->offset < items) {
        say_pool_bookkeeping(s, at, pool);
        return;
    }
    const uint64_t slot = (s->offset - items) / pool->stride_bytes;
    const uint64_t begin = items + slot * pool->stride_bytes;
    const uint32_t type = bksi_map_pool_type(s->map, pool);
    char *note = s->out->note;
    bool is_live = false;
    (void)bksi_arena_scan_slot(&s->scan, at, pool, (uint32_t)slot, &is_live);
    if (!is_live) {
        (void)snprintf(note, sizeof(s->out->note), "%s[%llu], not live", pool->name,
                       (unsigned long long)slot);
        say_other(s, BKS_MAP_FREE, begin, begin + pool->stride_bytes);
    } else if (s->offset - begin >= pool->item_bytes) {
        (void)snprintf(note, sizeof(s->out->note), "behind %s[%llu]", pool->name,
                       (unsigned long long)slot);
        say_other(s, BKS_MAP_PADDING, begin + pool->item_bytes, begin + pool->stride_bytes);
    } else if (type != UINT32_MAX) {
        descend_element(s, pool->name, slot, type, begin);
    } else {
        (void)snprintf(s->out->object, sizeof(s->out->object), "%s[%llu]", pool->name,
                       (unsigned long long)slot);
        say_bytes(s, begin, begin + pool->item_bytes);
    }
}

/// Find the block of the searched byte, as bksi_map_find_block() does, but through the cache.
/// @param begin, end  end of the header or pool before the byte, start of the one after it
static bool find_block(const search *s, uint64_t begin, uint64_t end, bksi_map_block *out)
{
    bksi_map_known *known = s->known;
    if (known == NULL) {
        return bksi_map_find_block(s->map, &s->scan, begin, s->offset, out);
    }
    if (known->walks == 0 || s->offset < known->block.same_begin_bytes ||
        s->offset >= known->block.same_end_bytes) {
        bksi_map_block *block = &known->block;
        known->walks++;
        known->is_found = bksi_map_find_block(s->map, &s->scan, begin, s->offset, block);
        block->same_end_bytes = block->same_end_bytes < end ? block->same_end_bytes : end;
    }
    *out = known->block;
    return known->is_found;
}

/// Name bytes of a block that belong to no whole element: bytes after its last element, or the
/// start of an element that would reach into the next block.
static void say_behind_block(const search *s, const bksi_map_block *block, uint64_t behind,
                             uint64_t end)
{
    (void)snprintf(s->out->note, sizeof(s->out->note), "behind %s", block->name);
    say_other(s, end - behind < 16 ? BKS_MAP_PADDING : BKS_MAP_UNNAMED, behind, end);
}

/// Name memory of the arena that lies between two headers or pools, from `begin` to `end`.
static void say_block(const search *s, uint64_t begin, uint64_t end)
{
    bksi_map_block block;
    const bool is_found = find_block(s, begin, end, &block);
    end = block.next_bytes < end ? block.next_bytes : end;
    if (!is_found) {
        say_other(s, BKS_MAP_UNNAMED, begin, end);
        return;
    }
    bks_map_place *out = s->out;
    if (block.type == 0) {
        (void)snprintf(out->object, sizeof(out->object), "%s", block.name);
        say_bytes(s, block.begin_bytes, end);
        return;
    }
    const uint64_t bytes = s->map->types[block.type].bytes;
    const uint64_t index = (s->offset - block.begin_bytes) / bytes;
    const uint64_t at = block.begin_bytes + index * bytes;
    if (block.count > 0 && index >= block.count) {
        say_behind_block(s, &block, block.begin_bytes + block.count * bytes, end);
    } else if (at + bytes > end) {
        say_behind_block(s, &block, at > block.from_bytes ? at : block.from_bytes, end);
    } else if (at < block.from_bytes) {
        say_behind_block(s, &block, block.from_bytes, at + bytes);
    } else if (block.count == 1 && bksi_map_is_aggregate(&s->map->types[block.type])) {
        (void)snprintf(out->object, sizeof(out->object), "%s", block.name);
        descend(s, block.type, at);
    } else {
        descend_element(s, block.name, index, block.type, at);
    }
}

/// Return the walk over pools to continue: the cached walk if it has not passed the byte, otherwise
/// a new walk.
static bksi_pool_walk begin_walk(const search *s)
{
    const bksi_map_known *known = s->known;
    return known != NULL && known->has_pools && s->offset >= known->pools.end
               ? known->pools
               : bksi_pool_walk_begin(&s->scan);
}

static void keep_walk(const search *s, const bksi_pool_walk *walk)
{
    if (s->known != NULL) {
        s->known->has_pools = true;
        s->known->pools = *walk;
    }
}

static void say_in_arena(const search *s)
{
    bksi_pool_walk walk = begin_walk(s);
    uint64_t begin = walk.end;
    uint64_t end = s->scan.count;
    while (bksi_pool_walk_next(&s->scan, &walk)) {
        if (s->offset < walk.at) {
            end = walk.at;
            break;
        }
        begin = walk.end;
        if (s->offset < begin) {
            say_pool(s, walk.at, &walk.pool);
            return;
        }
        keep_walk(s, &walk);
    }
    if (s->offset >= walk.end && walk.at != s->scan.arena.last_pool_offset) {
        // The chain of pools is broken, so the byte may belong to a pool that was not found.
        (void)snprintf(s->out->note, sizeof(s->out->note), "behind a damaged pool or arena");
        say_other(s, BKS_MAP_UNNAMED, begin, end);
        return;
    }
    say_block(s, begin, end);
}

/// Name a byte after a root without an arena.
static void say_rest(const search *s, uint64_t root_bytes)
{
    if (s->map->rest_name == NULL) {
        say_other(s, BKS_MAP_UNNAMED, root_bytes, s->scan.count);
        return;
    }
    const uint64_t bytes = s->map->types[s->map->rest_type].bytes;
    const uint64_t index = (s->offset - root_bytes) / bytes;
    const uint64_t begin = root_bytes + index * bytes;
    if (s->scan.count - begin < bytes) {
        say_other(s, BKS_MAP_PADDING, begin, s->scan.count);
        return;
    }
    descend_element(s, s->map->rest_name, index, s->map->rest_type, begin);
}

/// Name a byte after the root of a game with an arena.
static void say_behind_root(search *s, uint64_t root_bytes)
{
    const uint64_t at = bksi_arena_place(root_bytes);
    if (s->offset < at) {
        (void)snprintf(s->out->note, sizeof(s->out->note), "behind the root");
        say_other(s, BKS_MAP_PADDING, root_bytes, at);
    } else if (!bksi_arena_scan_at(&s->scan, at)) {
        (void)snprintf(s->out->note, sizeof(s->out->note), "no arena lies behind the root");
        say_other(s, BKS_MAP_UNNAMED, at, s->scan.count);
    } else if (!say_header(s, arena_fields, sizeof(arena_fields) / sizeof(arena_fields[0]), at,
                           "arena")) {
        say_in_arena(s);
    }
}

void bksi_state_map_find(const bks_state_map *map, const void *state, size_t count,
                         uint64_t offset_bytes, uint32_t bit, bksi_map_known *known,
                         bks_map_place *out)
{
    *out = (bks_map_place){.type = UINT32_MAX};
    search s = {.map = map,
                .scan = {.bytes = state, .count = count},
                .offset = offset_bytes,
                .bit = bit,
                .known = known,
                .out = out};
    const uint64_t root_bytes = map->types[0].bytes;
    if (offset_bytes >= count) {
        (void)snprintf(out->note, sizeof(out->note), "behind the bytes in use");
        say_other(&s, BKS_MAP_FREE, count, UINT64_MAX);
    } else if (offset_bytes < root_bytes) {
        descend(&s, 0, 0);
    } else if (!map->has_arena) {
        say_rest(&s, root_bytes);
    } else {
        say_behind_root(&s, root_bytes);
    }
    add_name(out, out->name, sizeof(out->name));
}

bks_status bks_state_map_find(const bks_state_map *map, const void *state, size_t count,
                              uint64_t offset_bytes, uint32_t bit, bks_map_place *out)
{
    static const char call[] = "bks_state_map_find";
    if (map == NULL || out == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call, map == NULL ? "map" : out == NULL ? "out" : "state");
    }
    if (bit > 7) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "bit", "bit is %u, must be 0..7", bit);
    }
    bksi_state_map_find(map, state, count, offset_bytes, bit, NULL, out);
    return BKS_OK;
}
