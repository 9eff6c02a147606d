// SPDX-License-Identifier: MIT

// The direction of a stick is the C library's `atan2`. Its last bit is the processor's.

#include <math.h>

#include "planted.h"

typedef struct angle_state {
    planted_base base;
    uint64_t angles; // of all sticks so far, a sum of their bits
} angle_state;

static void angle_init(void *state, const bks_start *start)
{
    (void)start;
    ((angle_state *)state)->angles = 0;
}

static void angle_step(void *state, const bks_step *step)
{
    angle_state *angle = state;
    planted_move(&angle->base, step);
    uint32_t random = (uint32_t)step->tick;
    for (int i = 0; i < 2000; i++) {
        random = random * 1664525u + 1013904223u;
        const double y = (double)(random >> 8) / 1e6 - 8.0;
        random = random * 1664525u + 1013904223u;
        const double one = atan2(y, (double)(random >> 8) / 1e6 - 8.0);
        uint64_t bits = 0;
        memcpy(&bits, &one, sizeof(bits));
        angle->angles += bits;
    }
    bks_mark(step, "angle");
}

PLANTED("stick_angle", angle_state, .state_bytes = sizeof(angle_state), .init = angle_init,
        .step = angle_step);
