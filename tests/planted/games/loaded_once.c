// SPDX-License-Identifier: MIT

// Tick 10 loads a value into a static variable. A process that takes up the state later never loads
// it.

#include "planted.h"

typedef struct loaded_state {
    planted_base base;
    int32_t prize;
} loaded_state;

static int32_t loaded_prize;

static void loaded_init(void *state, const bks_start *start)
{
    (void)start;
    ((loaded_state *)state)->prize = 5;
}

static void loaded_step(void *state, const bks_step *step)
{
    loaded_state *loaded = state;
    planted_move(&loaded->base, step);
    if (step->tick == 10) {
        loaded_prize = 3;
    }
    bks_mark(step, "load");
    if (step->tick >= 20) {
        loaded->prize += loaded_prize;
    }
    bks_mark(step, "prize");
}

PLANTED("loaded_once", loaded_state, .state_bytes = sizeof(loaded_state), .init = loaded_init,
        .step = loaded_step);
