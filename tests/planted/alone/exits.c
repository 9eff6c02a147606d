// SPDX-License-Identifier: MIT

// A step ends the process, as if all were well.

#include <stdlib.h>

#include "planted.h"

typedef struct exits_state {
    planted_base base;
} exits_state;

static void exits_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void exits_step(void *state, const bks_step *step)
{
    planted_move(&((exits_state *)state)->base, step);
    if (step->tick == 20) {
        _Exit(0);
    }
}

PLANTED("exits", exits_state, .state_bytes = sizeof(exits_state), .init = exits_init,
        .step = exits_step);
