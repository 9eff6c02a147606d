// SPDX-License-Identifier: MIT

// Negative floats are converted to unsigned integers. x86 gives the low half of a 64-bit integer,
// Arm and AVX-512 give others, and no processor notices it.

#include "planted.h"

typedef struct negative_state {
    planted_base base;
    float height;
    uint32_t floor;
    uint32_t depth;
} negative_state;

static void negative_init(void *state, const bks_start *start)
{
    (void)start;
    ((negative_state *)state)->height = 30.0f;
}

static void negative_step(void *state, const bks_step *step)
{
    negative_state *negative = state;
    planted_move(&negative->base, step);
    negative->height -= 1.0f;
    negative->floor = (uint32_t)negative->height;
    negative->depth = (uint32_t)(negative->height - 18.5f); // -1.5 at tick 12
    bks_mark(step, "fall");
}

PLANTED("negative", negative_state, .state_bytes = sizeof(negative_state), .init = negative_init,
        .step = negative_step);
