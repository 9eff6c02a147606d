// SPDX-License-Identifier: MIT

// A library that the plug-in needs calls `sin`, `exp` and `pow`.

#include "borrowed.h"
#include "planted.h"

typedef struct borrowed_state {
    planted_base base;
    uint32_t turned;
} borrowed_state;

static void borrowed_init(void *state, const bks_start *start)
{
    (void)start;
    ((borrowed_state *)state)->turned = 1;
}

static void borrowed_step(void *state, const bks_step *step)
{
    borrowed_state *borrowed = state;
    planted_move(&borrowed->base, step);
    if (step->tick == 11) {
        borrowed->turned = borrowed_turn();
    }
    bks_mark(step, "turn");
}

PLANTED("borrowed_sine", borrowed_state, .state_bytes = sizeof(borrowed_state),
        .init = borrowed_init, .step = borrowed_step);
