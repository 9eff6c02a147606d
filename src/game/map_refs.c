// SPDX-License-Identifier: MIT

#include "game/map_refs.h"

#include "game/map_parts.h"

enum {
    DEPTH_MAX = 24,        // of members within members
    BLOCKS_DEEP_MAX = 4,   // references followed from block to block
    VISITS_MAX = 1u << 18, // of values: a state may hold more than is worth a name
};

/// One part of a path to a reference.
typedef struct part {
    const bks_map_member *member; ///< NULL: an element of what a reference leads to
    uint64_t element;
} part;

struct bksi_map_refs {
    const bks_state_map *map;
    const bksi_arena_scan *scan;
    void (*visit)(void *context, const bksi_map_refs *refs, const bksi_map_ref *ref);
    void *context;
    uint64_t first; ///< of the arena behind its header
    uint32_t visits;
    uint32_t count; ///< of references
    uint32_t blocks_deep;
    uint8_t has_ref[BKS_MAP_TYPES_MAX / 8]; ///< types that hold references
    char object[48];                        ///< the pool's item that is searched; "" for the root
    part path[DEPTH_MAX];
    uint32_t depth;
};

static bool may_hold(const bksi_map_refs *s, uint32_t type)
{
    return (s->has_ref[type / 8] >> (type % 8) & 1) != 0;
}

/// Structs and unions stand before those of their members, so one pass from the end finds all; a
/// reference stands anywhere.
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

/// References in the block itself.
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
    const uint64_t begin = base + distance; // wraps for what lies before it
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

/// A value at `base`, all of it within the state.
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

void bksi_map_refs_visit(const bks_state_map *map, const bksi_arena_scan *scan,
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
