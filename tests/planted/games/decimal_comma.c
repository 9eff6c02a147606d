// SPDX-License-Identifier: MIT

// A number is parsed from text by the locale's rules.

#include <stdlib.h>

#include "planted.h"

typedef struct comma_state {
    planted_base base;
    double speed;
} comma_state;

static void comma_init(void *state, const bks_start *start)
{
    (void)start;
    ((comma_state *)state)->speed = 1;
}

static void comma_step(void *state, const bks_step *step)
{
    comma_state *comma = state;
    planted_move(&comma->base, step);
    if (step->tick == 9) {
        comma->speed = strtod("2.5", NULL);
    }
    bks_mark(step, "speed");
}

PLANTED("decimal_comma", comma_state, .state_bytes = sizeof(comma_state), .init = comma_init,
        .step = comma_step);
