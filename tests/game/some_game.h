// SPDX-License-Identifier: MIT

/// @file some_game.h
/// Two small games for the tests of this room: one in a region with an arena, one with a state of
/// its own.

#ifndef TEST_SOME_GAME_H
#define TEST_SOME_GAME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/det.h"
#include "backstitch/game.h"

typedef struct some_input {
    int32_t move;
    int32_t fire;
} some_input;

static const bks_field some_fields[] = {
    {.name = "move", .bits = 5, .is_signed = true},
    {.name = "fire", .bits = 1},
};

static const bks_option some_options[] = {
    {.name = "map", .default_value = "plain", .help = "plain or huge"},
    {.name = "lives", .default_value = "3", .help = "1 to 9"},
};

typedef struct some_state {
    bks_random random;
    bks_ref shots;
    int64_t x[BKS_PLAYERS_MAX];
    uint64_t inits; ///< stays 1 when init finds zeros
    uint64_t seed;
    int32_t lives;
    uint32_t players;
} some_state;

static inline bks_status some_configure(const bks_start *start, size_t *out_state_bytes,
                                        bks_error *error)
{
    const char *map = bks_start_option(start, "map");
    if (strcmp(map, "plain") != 0 && strcmp(map, "huge") != 0) {
        error->field = "map";
        (void)snprintf(error->text, sizeof(error->text), "map is \"%s\", must be plain or huge",
                       map);
        return BKS_ERR_BAD_CONFIG;
    }
    *out_state_bytes = strcmp(map, "huge") == 0 ? 100000 : 10000;
    return BKS_OK;
}

static inline void some_init(void *state, const bks_start *start)
{
    some_state *some = state;
    bks_random_seed(&some->random, start->seed, 1);
    bks_arena *arena = bks_arena_of(state, sizeof(*some));
    bks_ref_set(&some->shots, bks_pool_create(arena, "shots", sizeof(int32_t), 50));
    some->inits++;
    some->seed = start->seed;
    some->lives = (int32_t)strtol(bks_start_option(start, "lives"), NULL, 10);
    some->players = start->players;
}

/// Moves, then shots that live for a random while.
static inline void some_step(void *state, const bks_step *step)
{
    some_state *some = state;
    bks_pool *shots = bks_ref_get(&some->shots);
    for (uint32_t player = 0; player < step->players; player++) {
        const some_input *input = bks_step_input(step, player);
        some->x[player] += input->move;
        void *shot;
        if (input->fire != 0 && bks_pool_add(shots, &shot) != 0) {
            *(int32_t *)shot = bks_random_between(&some->random, 1, 20);
        }
    }
    bks_mark(step, "move");
    uint32_t cursor = 0;
    bks_id id;
    for (int32_t *shot; (shot = bks_pool_next(shots, &cursor, &id)) != NULL;) {
        if (--*shot == 0) {
            bks_note(step, "shot %u has ended", id);
            bks_pool_remove(shots, id);
        }
    }
    bks_mark(step, "shots");
}

static const bks_game some_game = {
    .name = "some",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = some_fields,
    .field_count = 2,
    .options = some_options,
    .option_count = 2,
    .root_bytes = sizeof(some_state),
    .configure = some_configure,
    .init = some_init,
    .step = some_step,
};

/// A state outside any region. Its save is text, so its length changes.
typedef struct own_state {
    int64_t sum;
} own_state;

typedef struct own_counts {
    uint32_t alive; ///< objects there are
    bool is_create_failing;
    bool is_save_failing;
} own_counts;

static own_counts own;

static inline void *own_create(const bks_start *start)
{
    (void)start;
    own_state *state = own.is_create_failing ? NULL : calloc(1, sizeof(*state));
    own.alive += state != NULL;
    return state;
}

static inline void own_destroy(void *state)
{
    own.alive--;
    free(state);
}

static inline void own_init(void *state, const bks_start *start)
{
    ((own_state *)state)->sum = (int64_t)start->seed;
}

static inline void own_step(void *state, const bks_step *step)
{
    for (uint32_t player = 0; player < step->players; player++) {
        const some_input *input = bks_step_input(step, player);
        ((own_state *)state)->sum += input->move;
    }
    bks_mark(step, "sum");
}

static inline size_t own_save(const void *state, void *bytes, size_t capacity_bytes)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)((const own_state *)state)->sum);
    if (own.is_save_failing || strlen(text) > capacity_bytes) {
        return 0;
    }
    memcpy(bytes, text, strlen(text));
    return strlen(text);
}

static inline bool own_load(void *state, const void *bytes, size_t count_bytes)
{
    char text[24] = "";
    if (count_bytes >= sizeof(text)) {
        return false;
    }
    memcpy(text, bytes, count_bytes);
    char *end;
    long long sum = strtoll(text, &end, 10);
    if (end != text + count_bytes) {
        return false;
    }
    ((own_state *)state)->sum = sum;
    return true;
}

static inline void own_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, &((const own_state *)state)->sum, sizeof(int64_t));
}

static const bks_game own_game = {
    .name = "own",
    .version = 1,
    .tick_rate_hz = 60,
    .players_min = 2,
    .players_max = 2,
    .fields = some_fields,
    .field_count = 2,
    .init = own_init,
    .step = own_step,
    .hash = own_hash,
    .create = own_create,
    .destroy = own_destroy,
    .save_bytes_max = 21,
    .save = own_save,
    .load = own_load,
};

#endif
