// SPDX-License-Identifier: MIT

// Results depend on rounding and denormals, which the library keeps alike.

#include "planted.h"

typedef struct floats_state {
    planted_base base;
    float sum;
    float echo;
} floats_state;

static void floats_init(void *state, const bks_start *start)
{
    (void)start;
    ((floats_state *)state)->echo = 1.0f;
}

static void floats_step(void *state, const bks_step *step)
{
    floats_state *floats = state;
    planted_move(&floats->base, step);
    floats->sum += 1.0f / (3.0f + (float)(floats->base.x[0] & 15));
    floats->echo *= step->tick % 149 == 148 ? 1e38f : 0.5f;
    bks_mark(step, "sum");
}

PLANTED("sound_floats", floats_state, .state_bytes = sizeof(floats_state), .init = floats_init,
        .step = floats_step);
