// SPDX-License-Identifier: MIT

#include "game/state_walk.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

bks_status bksi_state_names_check(const bks_state_names *names, const char *call)
{
    if (names == NULL || (names->ranges == NULL && names->range_count > 0)) {
        return bksi_fail_null(NULL, call, names == NULL ? "names" : "ranges");
    }
    if (names->range_count > BKS_STATE_RANGES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "range_count",
                         "range_count is %u, must be 0..%d", names->range_count,
                         BKS_STATE_RANGES_MAX);
    }
    return BKS_OK;
}

/// Return the use of bytes, by the name of their object. A name in parentheses marks bytes that are
/// no values.
static bks_map_use plain_use(const char *object)
{
    return object[0] != '('                                                  ? BKS_MAP_LIVE
           : strcmp(object, "(free)") == 0                                   ? BKS_MAP_FREE
           : strcmp(object, "(root)") == 0 || strcmp(object, "(state)") == 0 ? BKS_MAP_UNNAMED
                                                                             : BKS_MAP_BOOKKEEPING;
}

void bksi_state_name_plainly(const bks_state_names *names, const void *state, size_t count,
                             uint64_t offset, uint64_t run_bytes, bksi_place_known *known,
                             bks_map_place *out)
{
    bks_state_place plain;
    bksi_state_find(state, count, names->ranges, names->range_count, offset, known, &plain);
    *out = (bks_map_place){.type = UINT32_MAX, .use = plain_use(plain.object)};
    const char *field = plain.name + strlen(plain.object);
    (void)snprintf(out->name, sizeof(out->name), "%s", plain.name);
    (void)snprintf(out->object, sizeof(out->object), "%s", plain.object);
    (void)snprintf(out->field, sizeof(out->field), "%s", field[0] == '.' ? field + 1 : field);
    if (field[0] == '\0') { // the range is a single number
        (void)snprintf(out->object, sizeof(out->object), "root");
        (void)snprintf(out->field, sizeof(out->field), "%s", plain.name);
        (void)snprintf(out->name, sizeof(out->name), "root.%s", plain.name);
    }
    const bks_state_range *range =
        plain.range != UINT32_MAX ? &names->ranges[plain.range] : &(bks_state_range){0};
    if (range->type != BKS_STATE_BYTES) {
        const uint64_t bytes = bks_state_type_bytes(range->type);
        out->begin_bytes = plain.begin_bytes + plain.element * bytes;
        out->end_bytes = out->begin_bytes + bytes;
    } else {
        const uint64_t run = offset / run_bytes * run_bytes;
        out->begin_bytes = plain.begin_bytes > run ? plain.begin_bytes : run;
        out->end_bytes = plain.end_bytes < run + run_bytes ? plain.end_bytes : run + run_bytes;
    }
}

uint64_t bksi_map_behind(const bks_map_place *place, uint64_t bit)
{
    if (place->bits > 0) {
        return place->begin_bytes * 8 + place->bit_offset + place->bits;
    }
    if (place->end_bytes == BKSI_STATE_NONE) {
        return BKSI_STATE_NONE;
    }
    if (place->use == BKS_MAP_PADDING) {
        const uint64_t last = (place->end_bytes - 1) * 8;
        return bit < last ? last : bit + 1;
    }
    return place->end_bytes * 8;
}

bool bksi_map_is_same_place(const bks_map_place *a, const bks_map_place *b)
{
    return a->begin_bytes == b->begin_bytes && a->end_bytes == b->end_bytes && a->use == b->use &&
           a->bits == b->bits && a->bit_offset == b->bit_offset;
}

// Most walks over all references, because a state from a file may make each lookup walk over them.
enum { WALKS_MAX = 2048 };

bksi_state_walk bksi_state_walk_begin(const bks_state_names *names, const void *state, size_t count,
                                      uint64_t lookups, uint32_t walks)
{
    return (bksi_state_walk){.names = names,
                             .state = state,
                             .count = count,
                             .lookups_left = lookups,
                             .walks_max = walks,
                             .before = {.begin_bytes = BKSI_STATE_NONE}};
}

static void look_up(bksi_state_walk *walk, uint64_t bit, bks_map_place *out)
{
    walk->lookups_left--;
    if (walk->names->map != NULL) {
        bksi_state_map_find(walk->names->map, walk->state, walk->count, bit / 8,
                            (uint32_t)(bit % 8), &walk->mapped, out);
    } else {
        bksi_state_name_plainly(walk->names, walk->state, walk->count, bit / 8, UINT64_MAX,
                                &walk->plain, out);
        // A run of untyped bytes may begin before ranges that were already visited, so let it begin
        // at the present byte.
        out->begin_bytes = out->begin_bytes > bit / 8 ? out->begin_bytes : bit / 8;
    }
}

bks_status bksi_state_walk_part(bksi_state_walk *walk, uint64_t begin, uint64_t end,
                                bool (*visit)(void *context, const bks_map_place *place),
                                void *context)
{
    for (uint64_t bit = begin * 8; bit < end * 8;) {
        bks_map_place place = {.type = UINT32_MAX};
        if (walk->lookups_left == 0 || walk->mapped.walks >= walk->walks_max) {
            return BKS_OVER;
        }
        look_up(walk, bit, &place);
        if (!bksi_map_is_same_place(&place, &walk->before) && !visit(context, &place)) {
            return BKS_OK;
        }
        walk->before = place;
        bit = bksi_map_behind(&place, bit);
    }
    return BKS_OK;
}

bks_status bks_state_walk(const bks_state_names *names, const void *state, size_t count,
                          bool (*visit)(void *context, const bks_map_place *place), void *context)
{
    static const char call[] = "bks_state_walk";
    BKSI_TRY(bksi_state_names_check(names, call));
    if (visit == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call, visit == NULL ? "visit" : "state");
    }
    bksi_state_walk walk = bksi_state_walk_begin(names, state, count, UINT64_MAX, WALKS_MAX);
    return bksi_state_walk_part(&walk, 0, count, visit, context);
}
