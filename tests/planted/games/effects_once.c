// SPDX-License-Identifier: MIT

// Only the first step of a tick makes effects, and one of them counts. `save` leaves out which tick
// was the newest, by which a step decides that.

#include <stdlib.h>

#include "planted.h"

typedef struct effects_saved {
    planted_base base;
    int32_t effects;
} effects_saved;

typedef struct effects_state {
    effects_saved saved;
    bks_tick newest;
} effects_state;

static void *effects_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(effects_state));
}

static void effects_init(void *state, const bks_start *start)
{
    (void)start;
    *(effects_state *)state = (effects_state){.newest = -1};
}

static void effects_step(void *state, const bks_step *step)
{
    effects_state *effects = state;
    planted_move(&effects->saved.base, step);
#ifdef MENDED // what counts is counted whenever its tick is stepped
    if (step->tick % 10 == 7) {
#else
    if (step->tick > effects->newest && step->tick % 10 == 7) {
#endif
        effects->saved.effects++;
    }
    effects->newest = step->tick > effects->newest ? step->tick : effects->newest;
    bks_mark(step, "effects");
}

static size_t effects_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(effects_saved)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(effects_saved));
    return sizeof(effects_saved);
}

static bool effects_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(effects_saved)) {
        return false;
    }
    memcpy(state, bytes, sizeof(effects_saved));
    return true;
}

static void effects_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(effects_saved));
}

PLANTED("effects_once", effects_saved, .create = effects_create, .destroy = free,
        .init = effects_init, .step = effects_step, .save = effects_save, .load = effects_load,
        .hash = effects_hash, .save_bytes_max = sizeof(effects_saved));
