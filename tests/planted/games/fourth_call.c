// SPDX-License-Identifier: MIT

// A static variable counts steps, and the fourth step scores. Beside another match, that match's
// steps count too.

#include "planted.h"

enum { PRIZE = 7, PRIZE_CALL = 4 };

typedef struct fourth_state {
    planted_base base;
    uint32_t prize;
} fourth_state;

static uint32_t calls;

static void fourth_init(void *state, const bks_start *start)
{
    (void)start;
    ((fourth_state *)state)->prize = 1;
}

static void fourth_step(void *state, const bks_step *step)
{
    fourth_state *fourth = state;
    planted_move(&fourth->base, step);
    if (++calls == PRIZE_CALL) {
        fourth->prize += PRIZE;
    }
    bks_mark(step, "prize");
}

PLANTED("fourth_call", fourth_state, .state_bytes = sizeof(fourth_state), .init = fourth_init,
        .step = fourth_step);
