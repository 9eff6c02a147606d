// SPDX-License-Identifier: MIT

#include "game/state_walk.h"

#include "base/report.h"

// A state from a file may be made so that each lookup follows all its references.
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
        // What no range names begins behind the ranges that were visited.
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
    const bks_status status = bksi_state_names_check(names, call);
    if (status != BKS_OK) {
        return status;
    }
    if (visit == NULL || (state == NULL && count > 0)) {
        return bksi_fail_null(NULL, call, visit == NULL ? "visit" : "state");
    }
    bksi_state_walk walk = bksi_state_walk_begin(names, state, count, UINT64_MAX, WALKS_MAX);
    return bksi_state_walk_part(&walk, 0, count, visit, context);
}
