// SPDX-License-Identifier: MIT

// 0/0 when no player has moved for a while. Random inputs never do that.

#include "planted.h"

enum { REST_TICKS = 40 };

typedef struct rests_state {
    planted_base base;
    uint32_t rest;
    float slope;
} rests_state;

static void rests_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void rests_step(void *state, const bks_step *step)
{
    rests_state *rests = state;
    planted_move(&rests->base, step);
    rests->rest = step->inputs[0] == 0 && step->inputs[1] == 0 ? rests->rest + 1 : 0;
    const float run = rests->rest < REST_TICKS ? 1.0f : 0.0f;
    const float rise = run * 2.0f;
    rests->slope = rise / run;
    bks_mark(step, "slope");
}

PLANTED("rests", rests_state, .state_bytes = sizeof(rests_state), .init = rests_init,
        .step = rests_step);
