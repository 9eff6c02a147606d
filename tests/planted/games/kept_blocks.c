// SPDX-License-Identifier: MIT

// Things live in heap blocks; the one at the lowest address moves.

#include <stdlib.h>

#include "planted.h"

enum { THINGS = 4 };

typedef struct kept_state {
    planted_base base;
    uint32_t way[THINGS];
} kept_state;

typedef struct kept_game {
    kept_state state;
    uint32_t *things[THINGS]; // each has its own number
} kept_game;

static void *kept_create(const bks_start *start)
{
    (void)start;
    kept_game *game = calloc(1, sizeof(*game));
    for (uint32_t i = 0; game != NULL && i < THINGS; i++) {
        game->things[i] = malloc(24 + (size_t)700 * i);
        if (game->things[i] != NULL) {
            *game->things[i] = i;
        }
    }
    return game;
}

static void kept_destroy(void *state)
{
    kept_game *game = state;
    for (uint32_t i = 0; i < THINGS; i++) {
        free(game->things[i]);
    }
    free(game);
}

static void kept_init(void *state, const bks_start *start)
{
    (void)start;
    ((kept_game *)state)->state = (kept_state){0};
}

static void kept_step(void *state, const bks_step *step)
{
    kept_game *game = state;
    planted_move(&game->state.base, step);
    const uint32_t *first = game->things[0];
    for (uint32_t i = 1; i < THINGS; i++) {
        first = (uintptr_t)game->things[i] < (uintptr_t)first ? game->things[i] : first;
    }
    game->state.way[*first]++;
    bks_mark(step, "first");
}

static size_t kept_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(kept_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(kept_state));
    return sizeof(kept_state);
}

static bool kept_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(kept_state)) {
        return false;
    }
    memcpy(state, bytes, sizeof(kept_state));
    return true;
}

static void kept_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(kept_state));
}

PLANTED("kept_blocks", kept_state, .create = kept_create, .destroy = kept_destroy,
        .init = kept_init, .step = kept_step, .save = kept_save, .load = kept_load,
        .hash = kept_hash, .save_bytes_max = sizeof(kept_state));
