// SPDX-License-Identifier: MIT

// A slow step leaves out visual effects, and counts that.

#include <time.h>

#include "planted.h"

typedef struct slow_state {
    planted_base base;
    int32_t effects;
} slow_state;

static void slow_init(void *state, const bks_start *start)
{
    (void)start;
    ((slow_state *)state)->effects = 0;
}

static void slow_step(void *state, const bks_step *step)
{
    slow_state *slow = state;
    const clock_t begun = clock();
    planted_move(&slow->base, step);
    slow->effects += clock() - begun < CLOCKS_PER_SEC / 250 ? 2 : 1;
    bks_mark(step, "effects");
}

PLANTED("slow_frame", slow_state, .state_bytes = sizeof(slow_state), .init = slow_init,
        .step = slow_step);
