// SPDX-License-Identifier: MIT

// A step never ends.

#include "planted.h"

typedef struct hanging_state {
    planted_base base;
    uint32_t rounds; // it may wrap
} hanging_state;

static volatile bool is_over;

static void hanging_init(void *state, const bks_start *start)
{
    (void)start;
    ((hanging_state *)state)->rounds = 0;
}

static void hanging_step(void *state, const bks_step *step)
{
    hanging_state *hanging = state;
    planted_move(&hanging->base, step);
    while (step->tick == 20 && !is_over) {
        hanging->rounds++;
    }
    bks_mark(step, "rounds");
}

PLANTED("hangs", hanging_state, .state_bytes = sizeof(hanging_state), .init = hanging_init,
        .step = hanging_step);
