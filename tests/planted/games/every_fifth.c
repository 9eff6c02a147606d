// SPDX-License-Identifier: MIT

// A static variable counts steps, and every fifth step scores. Twice as many steps give the same
// result.

#include "planted.h"

typedef struct fifth_state {
    planted_base base;
    uint32_t prize;
} fifth_state;

static uint32_t steps;

static void fifth_init(void *state, const bks_start *start)
{
    (void)start;
    ((fifth_state *)state)->prize = 0;
}

static void fifth_step(void *state, const bks_step *step)
{
    fifth_state *fifth = state;
    planted_move(&fifth->base, step);
    fifth->prize += ++steps % 5 == 0 ? 1 : 0;
    bks_mark(step, "prize");
}

PLANTED("every_fifth", fifth_state, .state_bytes = sizeof(fifth_state), .init = fifth_init,
        .step = fifth_step);
