// SPDX-License-Identifier: MIT

// `load` copies a local struct with an unset field.

#include <stdlib.h>

#include "planted.h"

typedef struct load_state {
    planted_base base;
    int32_t way;
} load_state;

typedef struct load_game {
    load_state saved;
    int32_t cache;
} load_game;

static void *load_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(load_game));
}

static void load_init(void *state, const bks_start *start)
{
    (void)start;
    ((load_game *)state)->cache = 0;
}

static void load_step(void *state, const bks_step *step)
{
    load_game *game = state;
    planted_move(&game->saved.base, step);
    game->saved.way += game->cache & 15;
    bks_mark(step, "way");
}

static size_t load_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(load_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(load_state));
    return sizeof(load_state);
}

static bool load_load(void *state, const void *bytes, size_t count_bytes)
{
    load_game fresh;
    __asm__ volatile("" : : "r"(&fresh) : "memory"); // or the compiler would warn
    if (count_bytes != sizeof(load_state)) {
        return false;
    }
    load_game *game = state;
    memcpy(&game->saved, bytes, sizeof(load_state));
    game->cache = fresh.cache;
    return true;
}

static void load_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(load_state));
}

PLANTED("load_unset", load_state, .create = load_create, .destroy = free, .init = load_init,
        .step = load_step, .save = load_save, .load = load_load, .hash = load_hash,
        .save_bytes_max = sizeof(load_state));
