// SPDX-License-Identifier: MIT

#include "game/state_place.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
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

/// An object in brackets says what the bytes are for.
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
    if (field[0] == '\0') { // a range of one number
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
