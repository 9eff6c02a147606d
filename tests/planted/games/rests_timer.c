// SPDX-License-Identifier: MIT

// As `rests`, while a timer's signals interrupt all waits. Only neutral inputs show it.

#define _GNU_SOURCE

#include "planted.h"
#include "planted_timer.h"

enum { REST_TICKS = 40 };

typedef struct alarms_state {
    planted_base base;
    uint32_t rest;
    float slope;
} alarms_state;

static void alarms_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
    planted_begin_timer();
}

static void alarms_step(void *state, const bks_step *step)
{
    alarms_state *alarms = state;
    planted_move(&alarms->base, step);
    alarms->rest = step->inputs[0] == 0 && step->inputs[1] == 0 ? alarms->rest + 1 : 0;
    const float run = alarms->rest < REST_TICKS ? 1.0f : 0.0f;
    const float rise = run * 2.0f;
    alarms->slope = rise / run;
    bks_mark(step, "slope");
}

PLANTED("rests_timer", alarms_state, .state_bytes = sizeof(alarms_state), .init = alarms_init,
        .step = alarms_step);
