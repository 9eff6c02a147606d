// SPDX-License-Identifier: MIT

// A static ring of two carries a number from tick to tick. A match that is stepped in turns writes
// the other place, and one that goes back writes the same number.

#include "planted.h"

typedef struct ring_state {
    planted_base base;
    int32_t gravity;
    int32_t way;
} ring_state;

static int32_t ring[2];

static void ring_init(void *state, const bks_start *start)
{
    ((ring_state *)state)->gravity = 1 + (int32_t)(start->seed % 100);
}

static void ring_step(void *state, const bks_step *step)
{
    ring_state *round = state;
    planted_move(&round->base, step);
    if (step->tick > 0) {
        round->way += ring[(step->tick - 1) % 2];
    }
    ring[step->tick % 2] = round->gravity;
    bks_mark(step, "fall");
}

PLANTED("ring_of_two", ring_state, .state_bytes = sizeof(ring_state), .init = ring_init,
        .step = ring_step);
