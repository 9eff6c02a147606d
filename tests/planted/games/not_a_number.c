// SPDX-License-Identifier: MIT

// 0/0: the bits of a NaN differ between processors. The NaN before it is taken away, so it is not
// to blame.

#include "planted.h"

typedef struct nan_state {
    planted_base base;
    float share;
} nan_state;

static void nan_init(void *state, const bks_start *start)
{
    (void)start;
    ((nan_state *)state)->share = 1.0f;
}

static void nan_step(void *state, const bks_step *step)
{
    nan_state *shares = state;
    planted_move(&shares->base, step);
    const float rest = (float)(step->inputs[0] * 0);
    shares->share += rest / rest > 1.0f ? 1.0f : 0.0f;
    const float left = (float)(step->tick < 22 ? 22 - step->tick : 0);
    shares->share = left / left;
    bks_mark(step, "share");
}

PLANTED("not_a_number", nan_state, .state_bytes = sizeof(nan_state), .init = nan_init,
        .step = nan_step);
