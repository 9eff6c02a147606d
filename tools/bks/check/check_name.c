// SPDX-License-Identifier: MIT

#include "check/check_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map/game_map.h"

// The next byte from `at` on that differs.
// @return UINT64_MAX when none does
static uint64_t next_difference(check_state a, check_state b, uint64_t at)
{
    const size_t least = a.count < b.count ? a.count : b.count;
    const size_t most = a.count < b.count ? b.count : a.count;
    for (; at < least; at++) {
        if (a.bytes[at] != b.bytes[at]) {
            return at;
        }
    }
    return at < most ? at : UINT64_MAX;
}

// A value of the game, whose bytes mean the same in every process.
static bool says_something(const bks_state_map *map, const bks_map_place *place)
{
    return place->use == BKS_MAP_LIVE &&
           (place->type == UINT32_MAX || place->type >= map->type_count ||
            map->types[place->type].kind != BKS_MAP_POINTER);
}

static bool name_by_map(const bks_state_map *map, check_state a, check_state b,
                        check_finding *found)
{
    bks_map_place first = {0};
    bks_map_place place = {0};
    bool has_first = false;
    uint64_t at = next_difference(a, b, 0);
    while (at != UINT64_MAX) {
        const uint32_t differing =
            at < a.count && at < b.count ? (uint32_t)(a.bytes[at] ^ b.bytes[at]) : 1;
        const uint32_t bit = (uint32_t)__builtin_ctz(differing);
        const check_state *holder = at < a.count ? &a : &b;
        if (bks_state_map_find(map, holder->bytes, holder->count, at, bit, &place) != BKS_OK) {
            break;
        }
        first = has_first ? first : place;
        has_first = true;
        if (says_something(map, &place)) {
            first = place;
            break;
        }
        at = next_difference(a, b, place.end_bytes > at ? place.end_bytes : at + 1);
    }
    if (!has_first) {
        return false;
    }
    (void)snprintf(found->object, sizeof(found->object), "%s", first.object);
    (void)snprintf(found->field, sizeof(found->field), "%s", first.field);
    (void)snprintf(found->note, sizeof(found->note), "%s", first.note);
    (void)bks_state_map_value(map, a.bytes, a.count, &first, found->a, sizeof(found->a));
    (void)bks_state_map_value(map, b.bytes, b.count, &first, found->b, sizeof(found->b));
    return true;
}

static void print_byte(check_state state, uint64_t at, char *out, size_t capacity)
{
    if (at < state.count) {
        (void)snprintf(out, capacity, "0x%02x", (unsigned)state.bytes[at]);
    } else {
        (void)snprintf(out, capacity, "beyond its %zu bytes", state.count);
    }
}

static void name_by_ranges(const bks_game *game, check_state a, check_state b, check_finding *found)
{
    const uint64_t at = next_difference(a, b, 0);
    bks_state_place place;
    const check_state *holder = at < a.count ? &a : &b;
    if (at == UINT64_MAX || bks_state_find(holder->bytes, holder->count, game->ranges,
                                           game->range_count, at, &place) != BKS_OK) {
        return;
    }
    (void)snprintf(found->object, sizeof(found->object), "%s", place.object);
    const char *rest = place.name + strlen(place.object);
    (void)snprintf(found->field, sizeof(found->field), "%s", rest[0] == '.' ? rest + 1 : rest);
    (void)snprintf(
        found->note, sizeof(found->note),
        "the values are those of byte %" PRIu64
        " of the state: without debug information or bks_game.map there is no more to say",
        at);
    print_byte(a, at, found->a, sizeof(found->a));
    print_byte(b, at, found->b, sizeof(found->b));
}

void check_name(const loaded_game *game, check_state a, check_state b, check_finding *found)
{
    game_map map;
    char why[320];
    const bool is_named = game_map_find(game, &map, why) && name_by_map(map.map, a, b, found);
    if (!is_named) {
        name_by_ranges(game->game, a, b, found);
    }
}
