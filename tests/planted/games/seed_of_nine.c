// SPDX-License-Identifier: MIT

// Wrong with every ninth seed only; `--until-broken` finds it.

#include "planted.h"

typedef struct ninth_state {
    planted_base base;
    int32_t is_ninth;
    int32_t prize;
} ninth_state;

static int32_t prizes;

static void ninth_init(void *state, const bks_start *start)
{
    ((ninth_state *)state)->is_ninth = start->seed % 9 == 0;
}

static void ninth_step(void *state, const bks_step *step)
{
    ninth_state *ninth = state;
    planted_move(&ninth->base, step);
    if (ninth->is_ninth && step->tick == 12) {
        ninth->prize = ++prizes;
    }
    bks_mark(step, "prize");
}

PLANTED("seed_of_nine", ninth_state, .state_bytes = sizeof(ninth_state), .init = ninth_init,
        .step = ninth_step);
