// SPDX-License-Identifier: MIT

// As `rests`, and the game then fails before the last tick. Only neutral inputs show it.

#include "planted.h"

enum { REST_TICKS = 40, LAST_TICK = 80 };

typedef struct fails_state {
    planted_base base;
    uint32_t rest;
    float slope;
} fails_state;

static void fails_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void fails_step(void *state, const bks_step *step)
{
    fails_state *fails = state;
    planted_move(&fails->base, step);
    fails->rest = step->inputs[0] == 0 && step->inputs[1] == 0 ? fails->rest + 1 : 0;
    const float run = fails->rest < REST_TICKS ? 1.0f : 0.0f;
    const float rise = run * 2.0f;
    fails->slope = rise / run;
    bks_mark(step, "slope");
    if (step->tick == LAST_TICK) {
        bks_fail(step, "the script has ended");
    }
}

PLANTED("rests_fails", fails_state, .state_bytes = sizeof(fails_state), .init = fails_init,
        .step = fails_step);
