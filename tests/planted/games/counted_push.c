// SPDX-License-Identifier: MIT

// A game without a region counts pushes in a static variable. `way` follows from the push, which is
// gone again at the end of the tick.

#include <stdlib.h>

#include "planted.h"

typedef struct pushed_state {
    planted_base base;
    int32_t way;
    int32_t push;
} pushed_state;

static int32_t pushes;

static void *pushed_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(pushed_state));
}

static void pushed_init(void *state, const bks_start *start)
{
    (void)start;
    *(pushed_state *)state = (pushed_state){.way = 1};
}

static void pushed_step(void *state, const bks_step *step)
{
    pushed_state *pushed = state;
    planted_move(&pushed->base, step);
    pushed->push = ++pushes % 1000;
    bks_mark(step, "wind");
    pushed->way += pushed->push;
    pushed->push = 0;
    bks_mark(step, "way");
}

static size_t pushed_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(pushed_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(pushed_state));
    return sizeof(pushed_state);
}

static bool pushed_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(pushed_state)) {
        return false;
    }
    memcpy(state, bytes, sizeof(pushed_state));
    return true;
}

static void pushed_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(pushed_state));
}

PLANTED("counted_push", pushed_state, .create = pushed_create, .destroy = free, .init = pushed_init,
        .step = pushed_step, .save = pushed_save, .load = pushed_load, .hash = pushed_hash,
        .save_bytes_max = sizeof(pushed_state));
