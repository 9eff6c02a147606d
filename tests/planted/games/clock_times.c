// SPDX-License-Identifier: MIT

// The age of the system decides.

#include <sys/times.h>

#include "planted.h"

typedef struct hours_state {
    planted_base base;
    int64_t hours;
} hours_state;

static void hours_init(void *state, const bks_start *start)
{
    (void)start;
    ((hours_state *)state)->hours = 0;
}

static void hours_step(void *state, const bks_step *step)
{
    hours_state *hours = state;
    planted_move(&hours->base, step);
    if (step->tick == 20) {
        hours->hours = (int64_t)times(NULL) / 360000;
    }
    bks_mark(step, "hours");
}

PLANTED("clock_times", hours_state, .state_bytes = sizeof(hours_state), .init = hours_init,
        .step = hours_step);
