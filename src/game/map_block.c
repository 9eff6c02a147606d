// SPDX-License-Identifier: MIT

// A lookup walks over the references of a state. In a valid state two walks are enough: the first
// walk finds the block of the byte, the second one its end and its name.

#include "game/map_block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bksi_map_is_aggregate(const bks_map_type *type)
{
    return type->kind == BKS_MAP_STRUCT || type->kind == BKS_MAP_UNION;
}

uint64_t bksi_map_elements(const bks_map_member *member)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        count *= member->count[i];
    }
    return count;
}

void bksi_map_add(char *name, size_t capacity, const char *format, ...)
{
    const size_t length = strlen(name);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(name + length, capacity - length, format, arguments);
    va_end(arguments);
}

void bksi_map_add_member(char *name, size_t capacity, const bks_map_member *member,
                         uint64_t element)
{
    if (member->name[0] != '\0') {
        bksi_map_add(name, capacity, "%s%s", name[0] != '\0' ? "." : "", member->name);
    }
    uint64_t below = bksi_map_elements(member);
    for (uint32_t i = 0; i < BKS_MAP_DIMENSIONS_MAX && member->count[i] > 0; i++) {
        below /= member->count[i];
        bksi_map_add(name, capacity, "[%llu]",
                     (unsigned long long)(element / below % member->count[i]));
    }
}

uint32_t bksi_map_pool_type(const bks_state_map *map, const bks_pool *pool)
{
    for (uint32_t i = 0; i < map->pool_count; i++) {
        if (strncmp(map->pools[i].name, pool->name, BKSI_POOL_NAME_BYTES - 1) == 0 &&
            map->types[map->pools[i].type].bytes == pool->item_bytes) {
            return map->pools[i].type;
        }
    }
    return UINT32_MAX;
}

uint64_t bksi_map_number(const uint8_t *bytes, uint64_t count)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight = 0;
    switch (count) {
    case 1:
        memcpy(&one, bytes, 1);
        return one;
    case 2:
        memcpy(&two, bytes, 2);
        return two;
    case 4:
        memcpy(&four, bytes, 4);
        return four;
    case 8:
        memcpy(&eight, bytes, 8);
        return eight;
    default:
        return 0;
    }
}

int64_t bksi_map_signed(uint64_t number, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((number ^ sign) - sign);
}

uint64_t bksi_map_bits(const uint8_t *bytes, const bks_map_place *place)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < place->bits && i < 64; i++) {
        const uint32_t bit = place->bit_offset + i;
        number |= (uint64_t)(bytes[bit / 8] >> (bit % 8) & 1) << i;
    }
    return number;
}

enum {
    NESTED_MAX = 8 // most levels of blocks within blocks; each level takes a walk
};

typedef struct search {
    const bks_state_map *map;
    uint64_t floor;
    uint64_t offset;
    bksi_map_ref owner;  ///< reference to the byte's block; .number 0: none found yet
    bksi_map_ref within; ///< reference to a block within the owner's block; .number 0: none
    bksi_map_block *out;
} search;

/// Return true if a reference has a known size.
static bool has_end(const bksi_map_ref *ref)
{
    return ref->type != 0 && ref->count != 0;
}

/// Return the end of the bytes that a reference leads to; their start if the size is unknown.
static uint64_t end_of(const search *s, const bksi_map_ref *ref)
{
    return ref->begin_bytes +
           (has_end(ref) ? (uint64_t)ref->count * s->map->types[ref->type].bytes : 0);
}

static bool covers(const search *s, const bksi_map_ref *ref)
{
    return ref->begin_bytes <= s->offset && s->offset < end_of(s, ref);
}

/// Return true if a value of type `type` contains a value of type `other`, `at` bytes from its
/// start.
static bool holds(const bks_state_map *map, uint32_t type, uint64_t at, uint32_t other)
{
    for (;;) {
        const bks_map_type *is = &map->types[type];
        const bks_map_type *of = &map->types[other];
        const bool is_plain = !bksi_map_is_aggregate(is);
        if (at == 0 &&
            (type == other || (is_plain && is->kind == of->kind && is->bytes == of->bytes))) {
            return true;
        }
        if (is_plain || is->kind == BKS_MAP_UNION) {
            return !is_plain; // a union counts as holding any type: any member may be in use
        }
        const bks_map_member *member = NULL;
        for (uint32_t i = 0; i < is->member_count && member == NULL; i++) {
            const bks_map_member *one = &is->members[i];
            const uint64_t bytes = bksi_map_elements(one) * map->types[one->type].bytes;
            const bool is_there = at >= one->offset_bytes && at - one->offset_bytes < bytes;
            member = is_there && one->bits == 0 ? one : NULL;
        }
        if (member == NULL) {
            return false;
        }
        at = (at - member->offset_bytes) % map->types[member->type].bytes;
        // The loop ends, because a member that is a struct or union has a higher type number than
        // the struct or union that contains it.
        type = member->type;
    }
}

/// Return true if a reference leads to a value inside the found block (that of s->owner), so that
/// no new block begins at that value.
static bool leads_into(const search *s, const bksi_map_ref *ref)
{
    const bksi_map_ref *owner = &s->owner;
    if (!has_end(owner) || ref->begin_bytes < owner->begin_bytes ||
        ref->begin_bytes >= end_of(s, owner)) {
        return false;
    }
    const uint64_t at = (ref->begin_bytes - owner->begin_bytes) % s->map->types[owner->type].bytes;
    return ref->begin_bytes == owner->begin_bytes || !has_end(ref) ||
           holds(s->map, owner->type, at, ref->type);
}

/// Choose between two references that cover the byte. Return true if the byte belongs to the block
/// of `a`, because that block begins earlier or, at the same begin, is larger.
static bool has_before(const search *s, const bksi_map_ref *a, const bksi_map_ref *b)
{
    return a->begin_bytes < b->begin_bytes ||
           (a->begin_bytes == b->begin_bytes && end_of(s, a) > end_of(s, b));
}

/// Choose between two references that do not cover the byte. Return true if `a` is nearer: its
/// known bytes end later; at the same end, it begins later or, at the same begin, has a known type.
static bool is_nearer(const search *s, const bksi_map_ref *a, const bksi_map_ref *b)
{
    if (end_of(s, a) != end_of(s, b)) {
        return end_of(s, a) > end_of(s, b);
    }
    return a->begin_bytes > b->begin_bytes ||
           (a->begin_bytes == b->begin_bytes && a->type != 0 && b->type == 0);
}

static void choose(void *context, const bksi_map_refs *refs, const bksi_map_ref *ref)
{
    search *s = context;
    (void)refs;
    if (ref->begin_bytes < s->floor || ref->begin_bytes > s->offset) {
        return;
    }
    const bool is_covered = s->owner.number != 0 && covers(s, &s->owner);
    const bool is_better = s->owner.number == 0           ? true
                           : is_covered != covers(s, ref) ? !is_covered
                           : is_covered                   ? has_before(s, ref, &s->owner)
                                                          : is_nearer(s, ref, &s->owner);
    if (is_better) {
        s->owner = *ref;
    }
}

/// Narrow the bounds of the found block, so that they do not reach into the block of another
/// reference.
static void bound(search *s, const bksi_map_ref *ref)
{
    bksi_map_block *out = s->out;
    const uint64_t end = end_of(s, ref);
    if (ref->begin_bytes > s->offset) {
        out->next_bytes = ref->begin_bytes < out->next_bytes ? ref->begin_bytes : out->next_bytes;
    } else if (end > s->offset) {
        out->same_end_bytes = end < out->same_end_bytes ? end : out->same_end_bytes;
    } else {
        uint64_t *from =
            ref->begin_bytes < s->owner.begin_bytes ? &out->same_begin_bytes : &out->from_bytes;
        *from = end > *from ? end : *from;
    }
}

static void compare(void *context, const bksi_map_refs *refs, const bksi_map_ref *ref)
{
    search *s = context;
    if (ref->begin_bytes < s->floor) {
        return;
    }
    if (ref->number == s->owner.number) {
        bksi_map_refs_name(refs, s->out->name, sizeof(s->out->name));
        return;
    }
    if (leads_into(s, ref)) {
        return;
    }
    if (covers(s, ref) && ref->begin_bytes > s->owner.begin_bytes &&
        (s->within.number == 0 || has_before(s, ref, &s->within))) {
        s->within = *ref;
    }
    bound(s, ref);
}

/// Set the bounds of the found block from the reference that leads to it, before other references
/// narrow them.
static void begin_bounds(const search *s)
{
    const bool is_covered = s->owner.number != 0 && covers(s, &s->owner);
    s->out->from_bytes = s->owner.number == 0 ? s->floor
                         : is_covered         ? s->owner.begin_bytes
                                              : end_of(s, &s->owner);
    s->out->next_bytes = is_covered ? end_of(s, &s->owner) : UINT64_MAX;
    s->out->same_begin_bytes = 0;
    s->out->same_end_bytes = UINT64_MAX;
}

static void end_bounds(const search *s)
{
    bksi_map_block *out = s->out;
    if (s->within.number != 0) { // nested too deep to search on: the bounds hold for this byte only
        out->same_begin_bytes = s->offset;
        out->same_end_bytes = s->offset + 1;
        return;
    }
    if (out->from_bytes > out->same_begin_bytes) {
        out->same_begin_bytes = out->from_bytes;
    }
    if (out->next_bytes < out->same_end_bytes) {
        out->same_end_bytes = out->next_bytes;
    }
}

/// Visit all references, up to a limit. Each walk visits the same references in the same order.
/// @param visit_one  called for each reference; pass `refs` to bksi_map_refs_name() for its name
static void map_refs_visit(const bks_state_map *map, const bksi_arena_scan *scan,
                           void (*visit_one)(void *context, const bksi_map_refs *refs,
                                             const bksi_map_ref *ref),
                           void *context);

bool bksi_map_find_block(const bks_state_map *map, const bksi_arena_scan *scan, uint64_t floor,
                         uint64_t offset, bksi_map_block *out)
{
    search s = {.map = map, .floor = floor, .offset = offset, .out = out};
    map_refs_visit(map, scan, choose, &s);
    for (int i = 0; i == 0 || (i < NESTED_MAX && s.within.number != 0); i++) {
        s.owner = s.within.number != 0 ? s.within : s.owner;
        s.within = (bksi_map_ref){0};
        begin_bounds(&s);
        map_refs_visit(map, scan, compare, &s);
    }
    end_bounds(&s);
    out->begin_bytes = s.owner.begin_bytes;
    out->type = s.owner.type;
    out->count = s.owner.count;
    return s.owner.number != 0;
}

enum {
    DEPTH_MAX = 24,        // most levels of members within members
    BLOCKS_DEEP_MAX = 4,   // most references followed from block to block
    VISITS_MAX = 1u << 18, // most values visited, because naming a byte must not take long
};

/// One step of the path to a reference: a member or an element.
typedef struct part {
    /// Member that the step leads to; NULL: the step leads to an element of a block.
    const bks_map_member *member;
    uint64_t element;
} part;

struct bksi_map_refs {
    const bks_state_map *map;
    const bksi_arena_scan *scan;
    void (*visit)(void *context, const bksi_map_refs *refs, const bksi_map_ref *ref);
    void *context;
    uint64_t first; ///< offset of the end of the arena's header
    uint32_t visits;
    uint32_t count; ///< number of references visited
    uint32_t blocks_deep;
    uint8_t has_ref[BKS_MAP_TYPES_MAX / 8]; ///< bit for each type: 1 if its values hold references
    /// Name of the pool item that is walked over; "" for the root.
    char object[48];
    part path[DEPTH_MAX];
    uint32_t depth;
};

static bool may_hold(const bksi_map_refs *s, uint32_t type)
{
    return (s->has_ref[type / 8] >> (type % 8) & 1) != 0;
}

/// Find the types that hold references. First mark the reference types themselves, because they may
/// be anywhere in the table of types. Structs and unions come before the types of their members, so
/// one pass from the end finds all others.
static void find_types(bksi_map_refs *s)
{
    for (uint32_t i = 0; i < s->map->type_count; i++) {
        const bool is_ref = s->map->types[i].kind == BKS_MAP_REF;
        s->has_ref[i / 8] |= (uint8_t)((is_ref ? 1u : 0u) << (i % 8));
    }
    for (uint32_t i = s->map->type_count; i-- > 0;) {
        const bks_map_type *type = &s->map->types[i];
        bool has = false;
        for (uint32_t m = 0; m < type->member_count && !has; m++) {
            has = may_hold(s, type->members[m].type);
        }
        s->has_ref[i / 8] |= (uint8_t)((has ? 1u : 0u) << (i % 8));
    }
}

void bksi_map_refs_name(const bksi_map_refs *s, char *name, size_t capacity)
{
    name[0] = '\0';
    bksi_map_add(name, capacity, "%s", s->object);
    for (uint32_t i = 0; i < s->depth; i++) {
        const part *one = &s->path[i];
        if (one->member != NULL) {
            bksi_map_add_member(name, capacity, one->member, one->element);
        } else {
            bksi_map_add(name, capacity, "[%llu]", (unsigned long long)one->element);
        }
    }
}

static void visit(bksi_map_refs *s, uint32_t number, uint64_t base);

static void push(bksi_map_refs *s, const bks_map_member *member, uint64_t element, uint32_t type,
                 uint64_t base)
{
    if (s->depth < DEPTH_MAX && s->visits < VISITS_MAX) {
        s->path[s->depth++] = (part){.member = member, .element = element};
        visit(s, type, base);
        s->depth--;
    }
}

/// Visit the references in the block that a reference leads to.
static void visit_block(bksi_map_refs *s, const bks_map_type *ref, uint64_t begin)
{
    const bks_map_type *type = &s->map->types[ref->target];
    const uint32_t count = ref->target_count > 0 ? ref->target_count : 1;
    s->blocks_deep++;
    for (uint32_t i = 0; i < count && begin <= s->scan->count - type->bytes; i++) {
        if (count == 1) {
            visit(s, ref->target, begin);
        } else {
            push(s, NULL, i, ref->target, begin);
        }
        begin += type->bytes;
    }
    s->blocks_deep--;
}

static void visit_ref(bksi_map_refs *s, const bks_map_type *ref, uint64_t base)
{
    const uint64_t distance = bksi_map_number(s->scan->bytes + base, sizeof(bks_ref));
    const uint64_t begin = base + distance; // the sum wraps around for a block before `base`
    bks_pool pool;
    if (distance == 0 || begin < s->first || begin >= s->scan->count ||
        bksi_arena_scan_pool(s->scan, begin, &pool)) {
        return;
    }
    const bksi_map_ref found = {.begin_bytes = begin,
                                .type = ref->target,
                                .count = ref->target_count,
                                .number = ++s->count};
    s->visit(s->context, s, &found);
    if (ref->target != 0 && may_hold(s, ref->target) && s->blocks_deep < BLOCKS_DEEP_MAX &&
        s->map->types[ref->target].bytes <= s->scan->count) {
        visit_block(s, ref, begin);
    }
}

/// Visit the references in a value at `base`. The value must lie within the state.
static void visit(bksi_map_refs *s, uint32_t number, uint64_t base)
{
    const bks_map_type *type = &s->map->types[number];
    s->visits++;
    if (type->kind == BKS_MAP_REF) {
        visit_ref(s, type, base);
        return;
    }
    for (uint32_t m = 0; m < type->member_count; m++) {
        const bks_map_member *member = &type->members[m];
        const uint64_t count = may_hold(s, member->type) ? bksi_map_elements(member) : 0;
        for (uint64_t i = 0; i < count && s->visits < VISITS_MAX; i++) {
            push(s, member, i, member->type,
                 base + member->offset_bytes + i * s->map->types[member->type].bytes);
        }
    }
}

static void visit_pool(bksi_map_refs *s, uint64_t at, const bks_pool *pool)
{
    const uint32_t type = bksi_map_pool_type(s->map, pool);
    if (type == UINT32_MAX || !may_hold(s, type)) {
        return;
    }
    for (uint32_t slot = 0; slot < pool->capacity && s->visits < VISITS_MAX; slot++) {
        bool is_live = false;
        (void)bksi_arena_scan_slot(s->scan, at, pool, slot, &is_live);
        if (is_live) {
            s->object[0] = '\0';
            bksi_map_add(s->object, sizeof(s->object), "%s[%u]", pool->name, slot);
            visit(s, type, at + pool->items_at + slot * pool->stride_bytes);
        }
    }
}

static void map_refs_visit(const bks_state_map *map, const bksi_arena_scan *scan,
                           void (*visit_one)(void *context, const bksi_map_refs *refs,
                                             const bksi_map_ref *ref),
                           void *context)
{
    bksi_map_refs s = {.map = map,
                       .scan = scan,
                       .visit = visit_one,
                       .context = context,
                       .first = scan->arena.offset_bytes + sizeof(bks_arena)};
    find_types(&s);
    if (may_hold(&s, 0) && map->types[0].bytes <= scan->count) {
        visit(&s, 0, 0);
    }
    bksi_pool_walk walk = bksi_pool_walk_begin(scan);
    while (bksi_pool_walk_next(scan, &walk)) {
        visit_pool(&s, walk.at, &walk.pool);
    }
}
