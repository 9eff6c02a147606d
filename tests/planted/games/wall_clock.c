// SPDX-License-Identifier: MIT

// The wall clock decides when it is night.

#include <time.h>

#include "planted.h"

typedef struct night_state {
    planted_base base;
    int32_t hour;
} night_state;

static void night_init(void *state, const bks_start *start)
{
    (void)start;
    ((night_state *)state)->hour = 12;
}

static void night_step(void *state, const bks_step *step)
{
    night_state *night = state;
    planted_move(&night->base, step);
    if (step->tick >= 33) {
        night->hour = (int32_t)(time(NULL) / 3600 % 24);
    }
    bks_mark(step, "hour");
}

PLANTED("wall_clock", night_state, .state_bytes = sizeof(night_state), .init = night_init,
        .step = night_step);
