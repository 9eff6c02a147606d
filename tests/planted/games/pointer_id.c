// SPDX-License-Identifier: MIT

// Ids are made of addresses.

#include "planted.h"

typedef struct pointer_state {
    planted_base base;
    uint32_t id[3];
} pointer_state;

static int32_t things[3];

static void pointer_init(void *state, const bks_start *start)
{
    (void)start;
    ((pointer_state *)state)->id[0] = 1;
}

static void pointer_step(void *state, const bks_step *step)
{
    pointer_state *pointer = state;
    planted_move(&pointer->base, step);
    if (step->tick >= 17) {
        pointer->id[1] = (uint32_t)((uintptr_t)&things[1] >> 4);
    }
    bks_mark(step, "id");
}

PLANTED("pointer_id", pointer_state, .state_bytes = sizeof(pointer_state), .init = pointer_init,
        .step = pointer_step);
