// SPDX-License-Identifier: MIT

// A cache keyed by tick returns the old sum after a rollback.

#include "planted.h"

typedef struct cached_state {
    planted_base base;
    int32_t way;
} cached_state;

static int32_t sum_of(const bks_step *step)
{
    static bks_tick of_tick = -1;
    static int32_t sum;
    if (of_tick != step->tick) {
        of_tick = step->tick;
        sum = step->inputs[0] * 3 + step->inputs[step->players - 1];
    }
    return sum;
}

static void cached_init(void *state, const bks_start *start)
{
    (void)start;
    ((cached_state *)state)->way = 0;
}

static void cached_step(void *state, const bks_step *step)
{
    cached_state *cached = state;
    planted_move(&cached->base, step);
    cached->way += sum_of(step);
    bks_mark(step, "sum");
}

PLANTED("cached_by_tick", cached_state, .state_bytes = sizeof(cached_state), .init = cached_init,
        .step = cached_step);
