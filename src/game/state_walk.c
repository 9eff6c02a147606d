// SPDX-License-Identifier: MIT

#include "base/report.h"
#include "game/map_find.h"
#include "game/state_place.h"

// A state from a file may be made so that each lookup follows all its references.
enum { WALKS_MAX = 2048 };

/// What lookups before found out, with a map and without.
typedef struct lookups {
    bksi_map_known mapped;
    bksi_place_known plain;
} lookups;

static void look_up(const bks_state_names *names, const void *state, size_t count, uint64_t bit,
                    lookups *known, bks_map_place *out)
{
    if (names->map != NULL) {
        bksi_state_map_find(names->map, state, count, bit / 8, (uint32_t)(bit % 8), &known->mapped,
                            out);
    } else {
        bksi_state_name_plainly(names, state, count, bit / 8, UINT64_MAX, &known->plain, out);
        // What no range names begins behind the ranges that were visited.
        out->begin_bytes = out->begin_bytes > bit / 8 ? out->begin_bytes : bit / 8;
    }
}

bks_status bks_state_walk(const bks_state_names *names, const void *state, size_t count,
                          bool (*visit)(void *context, const bks_map_place *place), void *context)
{
    static const char call[] = "bks_state_walk";
    const bks_status status = bksi_state_names_check(names, call);
    if (status != BKS_OK) {
        return status;
    }
    if (visit == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call, visit == NULL ? "visit" : "state");
    }
    lookups known = {0};
    bks_map_place before = {.begin_bytes = BKSI_STATE_NONE};
    const uint64_t end = (uint64_t)count * 8;
    for (uint64_t bit = 0; bit < end;) {
        bks_map_place place = {.type = UINT32_MAX};
        if (known.mapped.walks >= WALKS_MAX) {
            return BKS_OVER;
        }
        look_up(names, state, count, bit, &known, &place);
        if (!bksi_map_is_same_place(&place, &before) && !visit(context, &place)) {
            return BKS_OK;
        }
        before = place;
        bit = bksi_map_behind(&place, bit);
    }
    return BKS_OK;
}
