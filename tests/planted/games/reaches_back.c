// SPDX-License-Identifier: MIT

// `extrapolate` moves the match's sparks instead of its copy's. A step leaves a pointer to them.

#include "planted.h"

typedef struct sparks_state {
    planted_base base;
    int32_t spark;
} sparks_state;

static sparks_state *known;

static void sparks_init(void *state, const bks_start *start)
{
    (void)start;
    ((sparks_state *)state)->spark = 7;
}

static void sparks_step(void *state, const bks_step *step)
{
    sparks_state *sparks = state;
    planted_move(&sparks->base, step);
    known = step->tick >= 17 ? sparks : NULL;
}

static void sparks_extrapolate(void *state, const bks_step *step, float share)
{
    (void)state, (void)step;
    if (known != NULL) {
        known->spark += share > 0.0f ? 1 : 0;
    }
}

PLANTED("reaches_back", sparks_state, .state_bytes = sizeof(sparks_state), .init = sparks_init,
        .step = sparks_step, .extrapolate = sparks_extrapolate);
