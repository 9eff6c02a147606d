// SPDX-License-Identifier: MIT

#include "check/check_name.h"

#include <stdio.h>
#include <string.h>

#include "map/game_map.h"

// The bytes of a place, where no map knows what they mean.
static void print_bytes(const bks_compared_state *state, const bks_map_place *place, char *out,
                        size_t capacity)
{
    enum { BYTES_MAX = 16 };
    const uint8_t *bytes = state->bytes;
    size_t used = (size_t)snprintf(out, capacity, "%s", "");
    for (uint64_t at = place->begin_bytes;
         at < place->end_bytes && at < state->count && at < place->begin_bytes + BYTES_MAX; at++) {
        used += (size_t)snprintf(out + used, capacity - used, "%02x ", (unsigned)bytes[at]);
    }
    if (used == 0) {
        (void)snprintf(out, capacity, "beyond its %zu bytes", state->count);
    } else {
        out[used - 1] = '\0';
    }
}

static void print_value(const bks_state_map *map, const bks_compared_state *state,
                        const bks_map_place *place, char *out, size_t capacity)
{
    if (map == NULL ||
        bks_state_map_value(map, state->bytes, state->count, place, out, capacity) != BKS_OK) {
        print_bytes(state, place, out, capacity);
    }
}

// The first difference that means something; or else the first byte, such as one of a raw pointer
// that leads to the same.
static bool find_place(const bks_state_names *names, const bks_compared_state *a,
                       const bks_compared_state *b, bks_map_place *out)
{
    bks_state_comparison comparison;
    if (bks_state_compare(names, a, b, out, 1, &comparison) == BKS_OK && comparison.count > 0) {
        return true;
    }
    const uint8_t *ours = a->bytes;
    const uint8_t *theirs = b->bytes;
    const size_t least = a->count < b->count ? a->count : b->count;
    size_t at = 0;
    while (at < least && ours[at] == theirs[at]) {
        at++;
    }
    return at < least && bks_state_name(names, a->bytes, a->count, at, 0, out) == BKS_OK;
}

void check_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                check_finding *found)
{
    game_map map;
    char why[320];
    const bool has_map = game_map_find(game, &map, why);
    const bks_state_names names = {.map = has_map ? map.map : NULL,
                                   .ranges = game->game->ranges,
                                   .range_count = game->game->range_count};
    bks_map_place place;
    if (!find_place(&names, a, b, &place)) {
        return;
    }
    (void)snprintf(found->object, sizeof(found->object), "%s", place.object);
    (void)snprintf(found->field, sizeof(found->field), "%s", place.field);
    if (has_map || place.note[0] != '\0') {
        (void)snprintf(found->note, sizeof(found->note), "%s", place.note);
    } else {
        (void)snprintf(found->note, sizeof(found->note), "no types are known: the game %.200s",
                       why);
    }
    print_value(names.map, a, &place, found->a, sizeof(found->a));
    print_value(names.map, b, &place, found->b, sizeof(found->b));
}
