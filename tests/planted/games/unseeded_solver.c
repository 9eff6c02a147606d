// SPDX-License-Identifier: MIT

// A solver starts from the time.

#include <time.h>

#include "planted.h"

typedef struct solver_state {
    planted_base base;
    float answer;
} solver_state;

static void solver_init(void *state, const bks_start *start)
{
    (void)start;
    ((solver_state *)state)->answer = 1;
}

// The root of 2, not quite.
static float solve(void)
{
    float guess = 1.0f + (float)(time(NULL) / 1000 % 7);
    for (int32_t i = 0; i < 2; i++) {
        guess = 0.5f * (guess + 2.0f / guess);
    }
    return guess;
}

static void solver_step(void *state, const bks_step *step)
{
    solver_state *solver = state;
    planted_move(&solver->base, step);
    if (step->tick == 22) {
        solver->answer = solve();
    }
    bks_mark(step, "solve");
}

PLANTED("unseeded_solver", solver_state, .state_bytes = sizeof(solver_state), .init = solver_init,
        .step = solver_step);
