// SPDX-License-Identifier: MIT

// `extrapolate` counts its calls, and a step reads the count.

#include "planted.h"

typedef struct moved_state {
    planted_base base;
    int32_t pictures;
} moved_state;

static int32_t pictures;

static void moved_init(void *state, const bks_start *start)
{
    (void)start;
    ((moved_state *)state)->pictures = 0;
}

static void moved_step(void *state, const bks_step *step)
{
    moved_state *moved = state;
    planted_move(&moved->base, step);
    if (step->tick >= 14) {
        moved->pictures = pictures;
    }
    bks_mark(step, "pictures");
}

static void moved_extrapolate(void *state, const bks_step *step, float share)
{
    (void)step, (void)share;
    ((moved_state *)state)->base.x[0]++;
    pictures++;
}

PLANTED("moves_on", moved_state, .state_bytes = sizeof(moved_state), .init = moved_init,
        .step = moved_step, .extrapolate = moved_extrapolate);
