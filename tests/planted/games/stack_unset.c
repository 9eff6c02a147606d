// SPDX-License-Identifier: MIT

// A local array is written only in a storm, but always read.

#include "planted.h"

typedef struct storm_state {
    planted_base base;
    int32_t wind[4];
} storm_state;

enum { WINDS = 512 };

// Not to be seen through by the compiler, which would warn.
__attribute__((noinline)) static void blow(int32_t *winds, bool is_storm)
{
    __asm__ volatile("" : : "r"(winds) : "memory");
    if (is_storm) {
        memset(winds, 0, WINDS * sizeof(*winds));
    }
}

__attribute__((noinline)) static int32_t measure(bool is_storm)
{
    int32_t winds[WINDS];
    blow(winds, is_storm);
    // There the library leaves a value that differs from machine to machine.
    return winds[350] % 100;
}

static void storm_init(void *state, const bks_start *start)
{
    (void)start;
    ((storm_state *)state)->wind[0] = 1;
}

static void storm_step(void *state, const bks_step *step)
{
    storm_state *storm = state;
    planted_move(&storm->base, step);
    storm->wind[1] = measure(step->tick < 25);
    bks_mark(step, "wind");
}

PLANTED("stack_unset", storm_state, .state_bytes = sizeof(storm_state), .init = storm_init,
        .step = storm_step);
