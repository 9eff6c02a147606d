// SPDX-License-Identifier: MIT

// The other build uses fused multiply-add. Nothing is wrong with the source.

#include "planted.h"

typedef struct contracted_state {
    planted_base base;
    float way;
    float speed;
} contracted_state;

static void contracted_init(void *state, const bks_start *start)
{
    (void)start;
    contracted_state *contracted = state;
    contracted->way = 0.1f;
    contracted->speed = 1.1f;
}

static void contracted_step(void *state, const bks_step *step)
{
    contracted_state *contracted = state;
    planted_move(&contracted->base, step);
    // Small at first, and exact either way.
    if (step->tick >= 14) {
        contracted->way = contracted->speed * contracted->speed + contracted->way;
    }
    bks_mark(step, "way");
}

PLANTED("contracted", contracted_state, .state_bytes = sizeof(contracted_state),
        .init = contracted_init, .step = contracted_step);
