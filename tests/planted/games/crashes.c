// SPDX-License-Identifier: MIT

// A step ends the program.

#include <stdlib.h>

#include "planted.h"

static void crashing_init(void *state, const bks_start *start)
{
    (void)start;
    *(planted_base *)state = (planted_base){0};
}

static void crashing_step(void *state, const bks_step *step)
{
    planted_move(state, step);
    if (step->tick == 20) {
        abort();
    }
}

PLANTED("crashes", planted_base, .state_bytes = sizeof(planted_base), .init = crashing_init,
        .step = crashing_step);
