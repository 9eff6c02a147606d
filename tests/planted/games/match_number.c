// SPDX-License-Identifier: MIT

// A static variable counts matches, and the rules use it.

#include "planted.h"

typedef struct match_state {
    planted_base base;
    int32_t prize;
} match_state;

static int32_t matches;

static void match_init(void *state, const bks_start *start)
{
    (void)start;
    ((match_state *)state)->prize = 100;
    matches++;
}

static void match_step(void *state, const bks_step *step)
{
    match_state *match = state;
    planted_move(&match->base, step);
    if (step->tick == 40) {
        match->prize += matches;
    }
    bks_mark(step, "prize");
}

PLANTED("match_number", match_state, .state_bytes = sizeof(match_state), .init = match_init,
        .step = match_step);
