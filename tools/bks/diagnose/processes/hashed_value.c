// SPDX-License-Identifier: MIT

#include "diagnose/processes/hashed_value.h"

#include <string.h>

#include "backstitch/toolkit/runner.h"

/// VALUES_MAX: values to look at. VALUE_BYTES: largest of them.
enum { VALUES_MAX = 256, VALUE_BYTES = 8 };

// Return true if a value is a plain number or letter: the hash may follow anything else.
static bool is_plain(const state_names *names, const bks_map_place *place)
{
    const bks_state_map *map = names->names.map;
    const bks_map_kind kind =
        map != NULL && place->type < map->type_count ? map->types[place->type].kind : BKS_MAP_BYTES;
    return kind >= BKS_MAP_ENUM && kind <= BKS_MAP_FLOAT &&
           place->end_bytes - place->begin_bytes <= VALUE_BYTES;
}

// Return true if the hash is another one with the other state's value.
static bool is_read(const check_stepper *stepper, const bks_compared_state *own,
                    const bks_map_place *place, const uint8_t *expected)
{
    uint8_t kept[VALUE_BYTES];
    const size_t begin = (size_t)place->begin_bytes;
    const size_t count = (size_t)(place->end_bytes - place->begin_bytes);
    uint8_t *at = (uint8_t *)(uintptr_t)own->address + begin;
    const uint64_t before = bks_runner_hash(stepper->runner);
    memcpy(kept, at, count);
    memcpy(at, expected + begin, count);
    const bool does = bks_runner_hash(stepper->runner) != before;
    memcpy(at, kept, count);
    return does;
}

bool hashed_value_first(const check_stepper *stepper, const state_names *names,
                        const bks_compared_state *own, uint8_t *expected)
{
    const bks_game *game = stepper->game.game;
    const bks_compared_state other = {
        .bytes = expected, .count = own->count, .address = own->address};
    state_difference found;
    if (game->hash == NULL || game->save != NULL || game->create != NULL) {
        return true;
    }
    for (int i = 0; i < VALUES_MAX && state_difference_find(names, &other, own, &found); i++) {
        const bks_map_place *place = &found.place;
        if (!is_plain(names, place) || place->end_bytes > own->count ||
            is_read(stepper, own, place, expected)) {
            return true;
        }
        memcpy(expected + place->begin_bytes, (const uint8_t *)own->bytes + place->begin_bytes,
               (size_t)(place->end_bytes - place->begin_bytes));
    }
    return false;
}
