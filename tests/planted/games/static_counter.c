// SPDX-License-Identifier: MIT

// A static variable counts steps, repeated ones too.

#include "planted.h"

typedef struct counter_state {
    planted_base base;
    int32_t wind[4];
} counter_state;

static void counter_init(void *state, const bks_start *start)
{
    (void)start;
    ((counter_state *)state)->wind[0] = 1;
}

static void counter_step(void *state, const bks_step *step)
{
    static uint32_t calls;
    counter_state *counter = state;
    planted_move(&counter->base, step);
    calls++;
    counter->wind[2] = (int32_t)(calls % 1000);
    bks_mark(step, "wind");
}

PLANTED("static_counter", counter_state, .state_bytes = sizeof(counter_state), .init = counter_init,
        .step = counter_step);
