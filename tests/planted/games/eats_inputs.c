// SPDX-License-Identifier: MIT

// A step casts away `const` and writes to its inputs.

#include "planted.h"

typedef struct eats_state {
    planted_base base;
    uint32_t eaten;
} eats_state;

static void eats_init(void *state, const bks_start *start)
{
    (void)start;
    ((eats_state *)state)->eaten = 0;
}

// From tick 12 on; what it writes is never what was there.
static void eat(int32_t *input)
{
    *input = *input == 3 ? 0 : 3;
}

static void eats_step(void *state, const bks_step *step)
{
    eats_state *eats = state;
    planted_move(&eats->base, step);
    if (step->tick >= 12) {
        eat((int32_t *)(uintptr_t)&step->inputs[1]);
        eats->eaten++;
    }
    bks_mark(step, "eat");
}

PLANTED("eats_inputs", eats_state, .state_bytes = sizeof(eats_state), .init = eats_init,
        .step = eats_step);
