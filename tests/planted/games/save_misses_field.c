// SPDX-License-Identifier: MIT

// `save` leaves out the speed.

#include <stdlib.h>

#include "planted.h"

typedef struct speedy_saved {
    planted_base base;
    int32_t way;
} speedy_saved;

typedef struct speedy_state {
    speedy_saved saved;
    int32_t speed;
} speedy_state;

static void *speedy_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(speedy_state));
}

static void speedy_init(void *state, const bks_start *start)
{
    (void)start;
    *(speedy_state *)state = (speedy_state){.speed = 1};
}

static void speedy_step(void *state, const bks_step *step)
{
    speedy_state *speedy = state;
    planted_move(&speedy->saved.base, step);
    speedy->speed++;
    bks_mark(step, "speed");
    speedy->saved.way += speedy->speed;
    bks_mark(step, "way");
}

static size_t speedy_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(speedy_saved)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(speedy_saved));
    return sizeof(speedy_saved);
}

static bool speedy_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(speedy_saved)) {
        return false;
    }
    memcpy(state, bytes, sizeof(speedy_saved));
    return true;
}

static void speedy_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(speedy_saved));
}

PLANTED("save_misses_field", speedy_saved, .create = speedy_create, .destroy = free,
        .init = speedy_init, .step = speedy_step, .save = speedy_save, .load = speedy_load,
        .hash = speedy_hash, .save_bytes_max = sizeof(speedy_saved));
