// SPDX-License-Identifier: MIT

// Aborts unless a match is stepped from tick 0, in order.

#include <stdlib.h>

#include "planted.h"

typedef struct zero_state {
    planted_base base;
    bool has_ship;
} zero_state;

static void zero_init(void *state, const bks_start *start)
{
    (void)start;
    ((zero_state *)state)->has_ship = false;
}

static void zero_step(void *state, const bks_step *step)
{
    zero_state *zero = state;
    zero->has_ship |= step->tick == 0;
    if (!zero->has_ship || zero->base.ticks != (uint32_t)step->tick) {
        abort();
    }
    planted_move(&zero->base, step);
}

PLANTED("sound_from_zero", zero_state, .state_bytes = sizeof(zero_state), .init = zero_init,
        .step = zero_step);
