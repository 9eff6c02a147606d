// SPDX-License-Identifier: MIT

#include "game/state_difference.h"

#include <stdio.h>

enum { BYTES_SHOWN = 16 };

/// States whose bytes are the same, though their hashes are not.
static const bks_map_place only_hash = {.name = "(unnamed).hash",
                                        .object = "(unnamed)",
                                        .field = "hash",
                                        .use = BKS_MAP_UNNAMED,
                                        .type = UINT32_MAX};

/// The first byte of a place that differs between two states, by 16 bytes from its begin.
static uint64_t shown_from(const bks_compared_state states[2], const bks_map_place *place)
{
    const uint8_t *const bytes[2] = {states[0].bytes, states[1].bytes};
    const uint64_t count = states[0].count < states[1].count ? states[0].count : states[1].count;
    const uint64_t end = place->end_bytes < count ? place->end_bytes : count;
    uint64_t at = place->begin_bytes;
    while (at < end && bytes[0][at] == bytes[1][at]) {
        at++;
    }
    return at - (at - place->begin_bytes) % BYTES_SHOWN;
}

static void print_bytes(const bks_compared_state *state, const bks_map_place *place, uint64_t from,
                        char *out, size_t capacity)
{
    const uint8_t *bytes = state->bytes;
    size_t used = (size_t)snprintf(out, capacity, "%s", "");
    for (uint64_t at = from; at < place->end_bytes && at < state->count && at < from + BYTES_SHOWN;
         at++) {
        used += (size_t)snprintf(out + used, capacity - used, "%s%02x", at > from ? " " : "",
                                 (unsigned)bytes[at]);
    }
    if (used == 0 && place->end_bytes > place->begin_bytes) {
        (void)snprintf(out, capacity, "beyond its %zu bytes", state->count);
    }
}

void bksi_state_difference_find(const bks_state_names *names, const bks_compared_state states[2],
                                bks_map_place *place, char *const values[2], size_t capacity)
{
    bks_state_comparison found;
    if (bks_state_compare(names, &states[0], &states[1], place, 1, &found) != BKS_OK ||
        found.count == 0) {
        *place = only_hash;
    }
    const uint64_t from = shown_from(states, place);
    for (uint32_t i = 0; i < 2; i++) {
        if (names->map == NULL || place->use != BKS_MAP_LIVE ||
            bks_state_map_value(names->map, states[i].bytes, states[i].count, place, values[i],
                                capacity) != BKS_OK) {
            print_bytes(&states[i], place, from, values[i], capacity);
        }
    }
}
