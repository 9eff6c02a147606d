// SPDX-License-Identifier: MIT

// Tick 15 takes another branch once the process has stepped it. One branch writes with memmove.

#include "planted.h"

typedef struct branch_state {
    planted_base base;
    int32_t way;
    int32_t more[7];
} branch_state;

static bool was_here;
static const volatile size_t count_bytes = sizeof(int32_t) * 8;

static void branch_init(void *state, const bks_start *start)
{
    (void)start;
    ((branch_state *)state)->way = 1;
}

static void branch_step(void *state, const bks_step *step)
{
    branch_state *branch = state;
    planted_move(&branch->base, step);
    if (step->tick == 15 && was_here) {
        static const int32_t values[8] = {20};
        memmove(&branch->way, values, count_bytes);
    } else if (step->tick == 15) {
        branch->way = 10;
    }
    was_here = was_here || step->tick == 15;
    bks_mark(step, "way");
}

PLANTED("other_branch", branch_state, .state_bytes = sizeof(branch_state), .init = branch_init,
        .step = branch_step);
