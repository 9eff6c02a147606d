// SPDX-License-Identifier: MIT

// The state holds an address of its own, undeclared (`bks_game.pointers`).

#include "planted.h"

typedef struct raw_state {
    planted_base base;
    int32_t target;
    int32_t *to;
} raw_state;

static void raw_init(void *state, const bks_start *start)
{
    (void)start;
    raw_state *raw = state;
    raw->to = &raw->target;
}

static void raw_step(void *state, const bks_step *step)
{
    raw_state *raw = state;
    planted_move(&raw->base, step);
    *raw->to += 1;
    bks_mark(step, "target");
}

PLANTED("raw_pointer", raw_state, .state_bytes = sizeof(raw_state), .init = raw_init,
        .step = raw_step);
