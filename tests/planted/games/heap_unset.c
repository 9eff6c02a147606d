// SPDX-License-Identifier: MIT

// Memory from `malloc` has a member that is never set.

#include <stdlib.h>

#include "planted.h"

typedef struct windy_saved {
    planted_base base;
    int32_t way;
} windy_saved;

typedef struct windy_state {
    windy_saved saved;
    uint32_t wind;
} windy_state;

static void *windy_create(const bks_start *start)
{
    (void)start;
    return malloc(sizeof(windy_state));
}

static void windy_init(void *state, const bks_start *start)
{
    (void)start;
    ((windy_state *)state)->saved = (windy_saved){.way = 1};
}

static void windy_step(void *state, const bks_step *step)
{
    windy_state *windy = state;
    planted_move(&windy->saved.base, step);
    if (step->tick >= 12) {
        windy->saved.way += (int32_t)(windy->wind % 1000);
    }
    bks_mark(step, "wind");
}

static size_t windy_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(windy_saved)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(windy_saved));
    return sizeof(windy_saved);
}

static bool windy_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(windy_saved)) {
        return false;
    }
    memcpy(state, bytes, sizeof(windy_saved));
    return true;
}

static void windy_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(windy_saved));
}

PLANTED("heap_unset", windy_saved, .create = windy_create, .destroy = free, .init = windy_init,
        .step = windy_step, .save = windy_save, .load = windy_load, .hash = windy_hash,
        .save_bytes_max = sizeof(windy_saved));
