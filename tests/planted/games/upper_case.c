// SPDX-License-Identifier: MIT

// Names are compared in upper case, which Turkish writes in its own way.

#include <ctype.h>

#include "planted.h"

typedef struct case_state {
    planted_base base;
    uint32_t is_found;
} case_state;

static void case_init(void *state, const bks_start *start)
{
    (void)start;
    ((case_state *)state)->is_found = 2;
}

static void case_step(void *state, const bks_step *step)
{
    case_state *upper = state;
    planted_move(&upper->base, step);
    if (step->tick == 7) {
        upper->is_found = toupper("item"[step->tick % 7]) == 'I';
    }
    bks_mark(step, "case");
}

PLANTED("upper_case", case_state, .state_bytes = sizeof(case_state), .init = case_init,
        .step = case_step);
