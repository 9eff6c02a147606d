// SPDX-License-Identifier: MIT

// Of one game in twenty there is an overtime after an hour, which counts in a static variable.

#include "backstitch/det.h"
#include "planted.h"

typedef struct hour_state {
    planted_base base;
    int32_t has_overtime;
    int32_t prize;
} hour_state;

enum { HOUR_TICKS = 60 * 60 * 60 };

static int32_t overtimes;

static void hour_init(void *state, const bks_start *start)
{
    hour_state *hour = state;
    bks_random random;
    bks_random_seed(&random, start->seed, 1);
    hour->has_overtime = bks_random_below(&random, 20) == 0;
}

static void hour_step(void *state, const bks_step *step)
{
    hour_state *hour = state;
    planted_move(&hour->base, step);
    if (hour->has_overtime && step->tick == HOUR_TICKS) {
        hour->prize += ++overtimes;
    }
    bks_mark(step, "prize");
}

PLANTED("one_in_twenty", hour_state, .state_bytes = sizeof(hour_state), .init = hour_init,
        .step = hour_step);
