// SPDX-License-Identifier: MIT

// A step calls sinf() of the C library, whose results are the same here under all changes.

#include <math.h>

#include "planted.h"

typedef struct sinf_state {
    planted_base base;
    float turned;
} sinf_state;

static void sinf_init(void *state, const bks_start *start)
{
    (void)start;
    ((sinf_state *)state)->turned = 0;
}

static void sinf_step(void *state, const bks_step *step)
{
    sinf_state *turns = state;
    planted_move(&turns->base, step);
    turns->turned += sinf((float)turns->base.x[0]);
    bks_mark(step, "turn");
}

PLANTED("calls_sinf", sinf_state, .state_bytes = sizeof(sinf_state), .init = sinf_init,
        .step = sinf_step);
