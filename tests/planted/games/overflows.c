// SPDX-License-Identifier: MIT

// A signed number overflows; the other build has `-fwrapv`.

#include "planted.h"

typedef struct overflows_state {
    planted_base base;
    int32_t height;
    int32_t turns;
} overflows_state;

static void overflows_init(void *state, const bks_start *start)
{
    (void)start;
    ((overflows_state *)state)->height = INT32_MAX - 30;
}

// Whether one step more is still higher, which an optimiser may take for granted.
__attribute__((noinline)) static int32_t is_higher(int32_t height)
{
    return height + 1 > height ? 1 : 0;
}

static void overflows_step(void *state, const bks_step *step)
{
    overflows_state *overflows = state;
    planted_move(&overflows->base, step);
    const int32_t is_rising = is_higher(overflows->height);
    if (overflows->height < INT32_MAX) {
        overflows->height++;
    }
    overflows->turns += 1 - is_rising;
    bks_mark(step, "turns");
}

PLANTED("overflows", overflows_state, .state_bytes = sizeof(overflows_state),
        .init = overflows_init, .step = overflows_step);
