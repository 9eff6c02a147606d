// SPDX-License-Identifier: MIT

/// @file planted_hours.h
/// A game that looks at a clock once and keeps the hour. Include it behind the definition of
/// hour_now(); then PLANTED_HOURS(name).

#ifndef BKS_PLANTED_HOURS_H
#define BKS_PLANTED_HOURS_H

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
        hours->hours = hour_now();
    }
    bks_mark(step, "hours");
}

#define PLANTED_HOURS(name)                                                            \
    PLANTED(name, hours_state, .state_bytes = sizeof(hours_state), .init = hours_init, \
            .step = hours_step)

#endif
