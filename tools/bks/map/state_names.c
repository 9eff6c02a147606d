// SPDX-License-Identifier: MIT

#include "map/state_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/text.h"
#include "map/game_map.h"

/// OTHERS_MAX: most values that are named besides the first one. NUMBER_BYTES: largest number.
enum { OTHERS_MAX = 3, NUMBER_BYTES = 8 };

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

void state_name_join(const char *object, const char *field, char *out, size_t capacity)
{
    const bool has_dot = object[0] != '\0' && field[0] != '\0' && field[0] != '[';
    (void)snprintf(out, capacity, "%s%s%s", object, has_dot ? "." : "", field);
}

void state_value(const state_names *names, const bks_compared_state *state,
                 const bks_map_place *place, char *out, size_t capacity)
{
    (void)bks_state_value(&names->names, state, place, out, capacity);
}

// Say how many bytes have no type, and how the game can give them one. Only a map gives types.
static void note_untyped(const state_names *names, state_difference *out)
{
    const bks_map_place *place = &out->place;
    if (names->names.map != NULL && out->note[0] == '\0' && place->use == BKS_MAP_LIVE &&
        place->type == UINT32_MAX) {
        (void)snprintf(out->note, sizeof(out->note),
                       "%" PRIu64 " bytes of no known type: add it to bks_game.types, for items of "
                       "a pool by BKS_TYPE_POOL",
                       place->end_bytes - place->begin_bytes);
    }
}

static void name_others(state_difference *out)
{
    out->others[0] = '\0';
    for (uint32_t i = 0; i < out->also_count && i < OTHERS_MAX; i++) {
        text_add(out->others, sizeof(out->others), "%s%.80s", i > 0 ? ", " : "",
                 out->also[i].place.name);
    }
    if (out->also_count > 0 && out->has_more) {
        text_add(out->others, sizeof(out->others), " and more");
    }
}

// Find the values that differ besides the first one: the addresses of values say nothing about the
// order in which they were written.
static void find_others(const state_names *names, const bks_compared_state *a,
                        const bks_compared_state *b, state_difference *out)
{
    bks_map_place places[STATE_ALSO_MAX + 1];
    bks_state_comparison found;
    if (bks_state_compare(&names->names, a, b, places, STATE_ALSO_MAX + 1, &found) != BKS_OK) {
        return;
    }
    for (uint32_t i = 1; i < found.live_count; i++) {
        state_pair *pair = &out->also[out->also_count++];
        pair->place = places[i];
        state_value(names, a, &pair->place, pair->a, sizeof(pair->a));
        state_value(names, b, &pair->place, pair->b, sizeof(pair->b));
    }
    out->has_more = !found.is_complete || found.count > OTHERS_MAX + 1;
    name_others(out);
}

void state_difference_choose(state_difference *difference, uint32_t index)
{
    state_pair former = {.place = difference->place};
    const state_pair chosen = difference->also[index];
    memcpy(former.a, difference->a, sizeof(former.a));
    memcpy(former.b, difference->b, sizeof(former.b));
    memmove(&difference->also[1], &difference->also[0], index * sizeof(former));
    difference->also[0] = former;
    difference->place = chosen.place;
    memcpy(difference->a, chosen.a, sizeof(chosen.a));
    memcpy(difference->b, chosen.b, sizeof(chosen.b));
    name_others(difference);
}

bool state_place_is_number(const state_names *names, const bks_map_place *place)
{
    const bks_state_map *map = names->names.map;
    const bks_map_kind kind =
        map != NULL && place->type < map->type_count ? map->types[place->type].kind : BKS_MAP_BYTES;
    return kind >= BKS_MAP_ENUM && kind <= BKS_MAP_FLOAT &&
           place->end_bytes - place->begin_bytes <= NUMBER_BYTES;
}

bool state_difference_find(const state_names *names, const bks_compared_state *a,
                           const bks_compared_state *b, state_difference *out)
{
    bks_state_difference found;
    *out = (state_difference){.place = {.type = UINT32_MAX}};
    if (bks_state_difference_find(&names->names, a, b, &found) != BKS_OK) {
        return false;
    }
    out->place = found.place;
    (void)snprintf(out->a, sizeof(out->a), "%.*s", STATE_VALUE_BYTES - 1, found.values[0]);
    (void)snprintf(out->b, sizeof(out->b), "%.*s", STATE_VALUE_BYTES - 1, found.values[1]);
    if (names->why[0] == '\0' || out->place.note[0] != '\0') {
        (void)snprintf(out->note, sizeof(out->note), "%s", out->place.note);
    } else {
        (void)snprintf(out->note, sizeof(out->note), "no types are known: the game %.200s",
                       names->why);
    }
    note_untyped(names, out);
    find_others(names, a, b, out);
    if (a->count != b->count) {
        char note[sizeof(out->note)];
        (void)snprintf(note, sizeof(note), "the states have %zu and %zu bytes%s%.180s", a->count,
                       b->count, out->note[0] != '\0' ? "; " : "", out->note);
        memcpy(out->note, note, sizeof(out->note));
    }
    return true;
}

static bool is_whole(bks_state_type type)
{
    return type >= BKS_STATE_U8 && type <= BKS_STATE_I64;
}

void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES])
{
    (void)bks_state_type_text(type, at, out, RANGE_VALUE_BYTES);
}

void range_value_json(json *j, bks_state_type type, const uint8_t *at)
{
    char text[RANGE_VALUE_BYTES];
    range_value_text(type, at, text);
    if (is_whole(type) && text[0] == '-') {
        json_int(j, NULL, strtoll(text, NULL, 10));
    } else if (is_whole(type)) {
        json_uint(j, NULL, strtoull(text, NULL, 10));
    } else {
        json_text(j, NULL, text);
    }
}
