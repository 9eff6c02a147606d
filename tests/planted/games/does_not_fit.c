// SPDX-License-Identifier: MIT

// A float is converted to an integer that cannot hold it. x86 gives the smallest integer, Arm the
// largest.

#include "planted.h"

typedef struct fit_state {
    planted_base base;
    float heat;
    int32_t degrees;
} fit_state;

static void fit_init(void *state, const bks_start *start)
{
    (void)start;
    ((fit_state *)state)->heat = 1.0f;
}

static void fit_step(void *state, const bks_step *step)
{
    fit_state *fit = state;
    planted_move(&fit->base, step);
    fit->heat *= 2.0f; // 2^31 at tick 30
    fit->degrees = step->tick < 40 ? (int32_t)fit->heat : 0;
    bks_mark(step, "heat");
}

PLANTED("does_not_fit", fit_state, .state_bytes = sizeof(fit_state), .init = fit_init,
        .step = fit_step);
