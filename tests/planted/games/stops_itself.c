// SPDX-License-Identifier: MIT

// A step stops its own process (`SIGSTOP`). Somebody left that behind when looking for a fault.

#include <signal.h>

#include "planted.h"

typedef struct stopping_state {
    planted_base base;
    int32_t rounds;
} stopping_state;

static void stopping_init(void *state, const bks_start *start)
{
    (void)start;
    ((stopping_state *)state)->rounds = 0;
}

static void stopping_step(void *state, const bks_step *step)
{
    stopping_state *stopping = state;
    planted_move(&stopping->base, step);
    if (step->tick == 20) {
        (void)raise(SIGSTOP);
    }
    stopping->rounds++;
    bks_mark(step, "rounds");
}

PLANTED("stops_itself", stopping_state, .state_bytes = sizeof(stopping_state),
        .init = stopping_init, .step = stopping_step);
