// SPDX-License-Identifier: MIT

// The address of a local variable seeds something in the state.

#include "planted.h"

typedef struct salted_state {
    planted_base base;
    uint32_t salt;
} salted_state;

static void salted_init(void *state, const bks_start *start)
{
    (void)start;
    ((salted_state *)state)->salt = 1;
}

static void salted_step(void *state, const bks_step *step)
{
    salted_state *salted = state;
    volatile int32_t local = step->tick;
    planted_move(&salted->base, step);
    if (step->tick > 3) {
        salted->salt = (uint32_t)((uintptr_t)&local >> 4);
    }
    bks_mark(step, "salt");
}

PLANTED("stack_address", salted_state, .state_bytes = sizeof(salted_state), .init = salted_init,
        .step = salted_step);
