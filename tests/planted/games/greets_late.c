// SPDX-License-Identifier: MIT

// A process that takes up the state greets 40 ticks later.

#include <stdlib.h>

#include "planted.h"

enum { GREETS_AFTER = 40 };

typedef struct greets_saved {
    planted_base base;
    int32_t prize;
} greets_saved;

typedef struct greets_state {
    greets_saved saved;
    uint32_t joined_at;
} greets_state;

static void *greets_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(greets_state));
}

static void greets_init(void *state, const bks_start *start)
{
    (void)start;
    ((greets_state *)state)->saved.prize = 1;
}

static void greets_step(void *state, const bks_step *step)
{
    greets_state *greets = state;
    planted_move(&greets->saved.base, step);
    if (greets->joined_at > 0 && greets->saved.base.ticks == greets->joined_at + GREETS_AFTER) {
        greets->saved.prize++;
    }
    bks_mark(step, "greet");
}

static size_t greets_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(greets_saved)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(greets_saved));
    return sizeof(greets_saved);
}

static bool greets_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(greets_saved)) {
        return false;
    }
    greets_state *greets = state;
    memcpy(&greets->saved, bytes, sizeof(greets_saved));
    greets->joined_at = greets->saved.base.ticks;
    return true;
}

static void greets_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(greets_saved));
}

PLANTED("greets_late", greets_saved, .create = greets_create, .destroy = free, .init = greets_init,
        .step = greets_step, .save = greets_save, .load = greets_load, .hash = greets_hash,
        .save_bytes_max = sizeof(greets_saved));
