// SPDX-License-Identifier: MIT

// `load` allocates the thing anew, and a step uses its address.

#include <stdlib.h>

#include "planted.h"

enum { THINGS = 64 };

typedef struct moved_state {
    planted_base base;
    uint32_t id;
} moved_state;

typedef struct moved_game {
    moved_state state;
    const uint64_t *thing;
} moved_game;

static uint64_t things[THINGS][2];

static void make_thing(moved_game *game)
{
    static uint32_t made;
    game->thing = things[made++ % THINGS];
}

static void *moved_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(moved_game));
}

static void moved_init(void *state, const bks_start *start)
{
    (void)start;
    moved_game *game = state;
    game->state = (moved_state){.id = 1};
    make_thing(game);
}

static void moved_step(void *state, const bks_step *step)
{
    moved_game *game = state;
    planted_move(&game->state.base, step);
    game->state.id = (uint32_t)((uintptr_t)game->thing >> 4);
    bks_mark(step, "id");
}

static size_t moved_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(moved_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(moved_state));
    return sizeof(moved_state);
}

static bool moved_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(moved_state)) {
        return false;
    }
    memcpy(state, bytes, sizeof(moved_state));
    make_thing(state);
    return true;
}

static void moved_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(moved_state));
}

PLANTED("moved_by_load", moved_state, .create = moved_create, .destroy = free, .init = moved_init,
        .step = moved_step, .save = moved_save, .load = moved_load, .hash = moved_hash,
        .save_bytes_max = sizeof(moved_state));
