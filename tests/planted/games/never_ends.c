// SPDX-License-Identifier: MIT

// A loop waits for a counter outside the state, which it misses after a rollback.

#include "planted.h"

typedef struct counted_state {
    planted_base base;
    int32_t caught_up;
} counted_state;

static volatile uint64_t counted;

static void counted_init(void *state, const bks_start *start)
{
    (void)start;
    ((counted_state *)state)->caught_up = 0;
}

static void counted_step(void *state, const bks_step *step)
{
    counted_state *counter = state;
    planted_move(&counter->base, step);
    while (counted != counter->base.ticks) {
        counted++;
    }
    counter->caught_up++;
    bks_mark(step, "caught up");
}

PLANTED("never_ends", counted_state, .state_bytes = sizeof(counted_state), .init = counted_init,
        .step = counted_step);
