// SPDX-License-Identifier: MIT

#include "diagnose/processes/hashed_value.h"

#include <string.h>

#include "backstitch/toolkit/runner.h"

/// VALUES_MAX: values to look at. VALUE_BYTES: largest of them.
enum { VALUES_MAX = 256, VALUE_BYTES = 8 };

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

// Return true if it can be tried what the hash reads.
static bool can_try(const bks_game *game)
{
    return game->hash != NULL && game->save == NULL && game->create == NULL;
}

bool hashed_value_is_read(const check_stepper *stepper, const bks_compared_state *own,
                          const bks_map_place *place, const uint8_t *expected)
{
    const bks_game *game = stepper->game.game;
    return game->hash == NULL || (can_try(game) && place->end_bytes <= own->count &&
                                  is_read(stepper, own, place, expected));
}

bool hashed_value_first(const check_stepper *stepper, const state_names *names,
                        const bks_compared_state *own, uint8_t *expected)
{
    const bks_compared_state other = {
        .bytes = expected, .count = own->count, .address = own->address};
    state_difference found;
    if (!can_try(stepper->game.game)) {
        return true;
    }
    for (int i = 0; i < VALUES_MAX && state_difference_find(names, &other, own, &found); i++) {
        const bks_map_place *place = &found.place;
        // The hash may follow anything else than a number.
        if (!state_place_is_number(names, place) || place->end_bytes > own->count ||
            is_read(stepper, own, place, expected)) {
            return true;
        }
        memcpy(expected + place->begin_bytes, (const uint8_t *)own->bytes + place->begin_bytes,
               (size_t)(place->end_bytes - place->begin_bytes));
    }
    return false;
}
