// SPDX-License-Identifier: MIT

// `save` writes an address of the process.

#include <stdlib.h>

#include "planted.h"

typedef struct saved_state {
    planted_base base;
    void *thing;
} saved_state;

static void *saved_create(const bks_start *start)
{
    (void)start;
    saved_state *state = calloc(1, sizeof(*state));
    if (state != NULL) {
        state->thing = malloc(40);
    }
    return state;
}

static void saved_destroy(void *state)
{
    free(((saved_state *)state)->thing);
    free(state);
}

static void saved_init(void *state, const bks_start *start)
{
    (void)start;
    ((saved_state *)state)->base = (planted_base){0};
}

static void saved_step(void *state, const bks_step *step)
{
    planted_move(state, step);
}

static size_t saved_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(saved_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(saved_state));
    return sizeof(saved_state);
}

static bool saved_load(void *state, const void *bytes, size_t count_bytes)
{
    saved_state *saved = state;
    void *own = saved->thing;
    if (count_bytes != sizeof(saved_state)) {
        return false;
    }
    memcpy(state, bytes, sizeof(saved_state));
    saved->thing = own;
    return true;
}

static void saved_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(saved_state));
}

PLANTED("saved_pointer", saved_state, .create = saved_create, .destroy = saved_destroy,
        .init = saved_init, .step = saved_step, .save = saved_save, .load = saved_load,
        .hash = saved_hash, .save_bytes_max = sizeof(saved_state));
