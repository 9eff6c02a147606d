// SPDX-License-Identifier: MIT

#include "map/state_names.h"

#include <stdio.h>
#include <string.h>

#include "map/game_map.h"
#include "map/range_value.h"

void state_names_find(const loaded_game *game, state_names *out)
{
    game_map map;
    *out = (state_names){
        .names = {.ranges = game->game->ranges, .range_count = game->game->range_count}};
    if (game_map_find(game, &map, out->why)) {
        out->names.map = map.map;
        out->why[0] = '\0';
    }
}

// Bytes where nothing says what they mean, from one of a place on.
static void print_bytes(const bks_compared_state *state, const bks_map_place *place, uint64_t from,
                        char *out, size_t capacity)
{
    enum { BYTES_MAX = 16 };
    const uint8_t *bytes = state->bytes;
    size_t used = (size_t)snprintf(out, capacity, "%s", "");
    for (uint64_t at = from; at < place->end_bytes && at < state->count && at < from + BYTES_MAX;
         at++) {
        used += (size_t)snprintf(out + used, capacity - used, "%02x ", (unsigned)bytes[at]);
    }
    if (used == 0) {
        (void)snprintf(out, capacity, "beyond its %zu bytes", state->count);
    } else {
        out[used - 1] = '\0';
    }
}

// @return false: no range says how to read it
static bool print_by_range(const state_names *names, const bks_compared_state *state,
                           const bks_map_place *place, char *out, size_t capacity)
{
    bks_state_place plain;
    if (place->end_bytes > state->count ||
        bks_state_find(state->bytes, state->count, names->names.ranges, names->names.range_count,
                       place->begin_bytes, &plain) != BKS_OK ||
        plain.range == UINT32_MAX) {
        return false;
    }
    const bks_state_type type = names->names.ranges[plain.range].type;
    if (type == BKS_STATE_BYTES) {
        return false;
    }
    char text[RANGE_VALUE_BYTES];
    range_value_text(type, (const uint8_t *)state->bytes + place->begin_bytes, text);
    (void)snprintf(out, capacity, "%s", text);
    return true;
}

// @return false: nothing says what it means
static bool print_typed(const state_names *names, const bks_compared_state *state,
                        const bks_map_place *place, char *out, size_t capacity)
{
    const bks_state_map *map = names->names.map;
    if (map == NULL) {
        return print_by_range(names, state, place, out, capacity);
    }
    (void)bks_state_map_value(map, state->bytes, state->count, place, out, capacity);
    return out[0] != '\0';
}

void state_value(const state_names *names, const bks_compared_state *state,
                 const bks_map_place *place, char *out, size_t capacity)
{
    if (!print_typed(names, state, place, out, capacity)) {
        print_bytes(state, place, place->begin_bytes, out, capacity);
    }
}

// The first byte of a place that differs, or else its first.
static uint64_t first_byte(const bks_compared_state *a, const bks_compared_state *b,
                           const bks_map_place *place)
{
    const uint8_t *ours = a->bytes;
    const uint8_t *theirs = b->bytes;
    uint64_t at = place->begin_bytes;
    while (at < place->end_bytes && at < a->count && at < b->count && ours[at] == theirs[at]) {
        at++;
    }
    const bool is_end = at >= place->end_bytes || (at >= a->count && at >= b->count);
    return is_end ? place->begin_bytes : at;
}

// What both hold there. What is too long to be written whole is written from where it differs.
static void print_values(const state_names *names, const bks_compared_state *a,
                         const bks_compared_state *b, state_difference *out)
{
    const bool is_typed = print_typed(names, a, &out->place, out->a, sizeof(out->a)) &&
                          print_typed(names, b, &out->place, out->b, sizeof(out->b)) &&
                          strcmp(out->a, out->b) != 0;
    if (!is_typed) {
        const uint64_t from = first_byte(a, b, &out->place);
        print_bytes(a, &out->place, from, out->a, sizeof(out->a));
        print_bytes(b, &out->place, from, out->b, sizeof(out->b));
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

bool state_difference_find(const state_names *names, const bks_compared_state *a,
                           const bks_compared_state *b, state_difference *out)
{
    *out = (state_difference){.place = {.type = UINT32_MAX}};
    if (!find_place(&names->names, a, b, &out->place)) {
        return false;
    }
    if (names->why[0] == '\0' || out->place.note[0] != '\0') {
        (void)snprintf(out->note, sizeof(out->note), "%s", out->place.note);
    } else {
        (void)snprintf(out->note, sizeof(out->note), "no types are known: the game %.200s",
                       names->why);
    }
    print_values(names, a, b, out);
    return true;
}
