// SPDX-License-Identifier: MIT

// A state that is sound needs two walks over its references: one finds the block, one where it ends
// and what it is called.

#include "game/map_block.h"

#include "game/map_parts.h"
#include "game/map_refs.h"

enum { NESTED_MAX = 8 }; // blocks within blocks that cannot hold them: a walk each

typedef struct search {
    const bks_state_map *map;
    uint64_t floor;
    uint64_t offset;
    bksi_map_ref owner;  ///< .number 0: none yet
    bksi_map_ref within; ///< begins a block within that of the owner; .number 0: none
    bksi_map_block *out;
} search;

/// Whether a reference says how much it leads to.
static bool has_end(const bksi_map_ref *ref)
{
    return ref->type != 0 && ref->count != 0;
}

/// Behind the last byte that a reference is known to lead to.
static uint64_t end_of(const search *s, const bksi_map_ref *ref)
{
    return ref->begin_bytes +
           (has_end(ref) ? (uint64_t)ref->count * s->map->types[ref->type].bytes : 0);
}

static bool covers(const search *s, const bksi_map_ref *ref)
{
    return ref->begin_bytes <= s->offset && s->offset < end_of(s, ref);
}

/// Whether values of a type hold one of another type at a distance from their start.
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
            return !is_plain; // any of a union's members may lie there
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
        type = member->type; // of a higher number, when it has members
    }
}

/// Whether a reference leads to a value of the owner's block: it is no block of its own.
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

/// Of references that cover the byte: the first, the largest, the one that is visited first.
static bool has_before(const search *s, const bksi_map_ref *a, const bksi_map_ref *b)
{
    return a->begin_bytes < b->begin_bytes ||
           (a->begin_bytes == b->begin_bytes && end_of(s, a) > end_of(s, b));
}

/// Of references that do not cover it: the one whose known bytes end nearest before it, at the same
/// byte one whose block begins there, of a known type.
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

/// Take notice of where another block begins and ends.
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

/// The bytes around the one looked for, as far as the owner's count says.
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
    if (s->within.number != 0) { // deeper than any that make sense: nothing is known around it
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

bool bksi_map_find_block(const bks_state_map *map, const bksi_arena_scan *scan, uint64_t floor,
                         uint64_t offset, bksi_map_block *out)
{
    search s = {.map = map, .floor = floor, .offset = offset, .out = out};
    bksi_map_refs_visit(map, scan, choose, &s);
    for (int i = 0; i == 0 || (i < NESTED_MAX && s.within.number != 0); i++) {
        s.owner = s.within.number != 0 ? s.within : s.owner;
        s.within = (bksi_map_ref){0};
        begin_bounds(&s);
        bksi_map_refs_visit(map, scan, compare, &s);
    }
    end_bounds(&s);
    out->begin_bytes = s.owner.begin_bytes;
    out->type = s.owner.type;
    out->count = s.owner.count;
    return s.owner.number != 0;
}
