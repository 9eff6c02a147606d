// SPDX-License-Identifier: MIT

// A static variable counts steps and stirs the random numbers, of which each step draws two. There
// is no mark before.

#include "planted.h"

typedef struct twice_state {
    planted_base base;
    uint32_t luck[2];
    uint32_t heights[4];
    uint32_t random;
} twice_state;

static void twice_init(void *state, const bks_start *start)
{
    ((twice_state *)state)->random = (uint32_t)start->seed + 1;
}

// Not inlined, so that each draw stores the random state.
static __attribute__((noinline)) uint32_t draw(twice_state *twice)
{
    twice->random = twice->random * 1664525u + 1013904223u;
    return twice->random >> 8;
}

static void twice_step(void *state, const bks_step *step)
{
    static uint32_t calls;
    twice_state *twice = state;
    for (uint32_t player = 0; player < step->players; player++) {
        twice->base.x[player] += step->inputs[player];
    }
    twice->random += ++calls % 1000;
    twice->luck[0] = draw(twice);
    twice->luck[1] = draw(twice);
    bks_mark(step, "luck");
}

PLANTED("drawn_twice", twice_state, .state_bytes = sizeof(twice_state), .init = twice_init,
        .step = twice_step);
