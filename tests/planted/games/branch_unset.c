// SPDX-License-Identifier: MIT

// Unset memory decides a branch, by a value too rare for `fill`.

#include "planted.h"

typedef struct branch_state {
    planted_base base;
    int32_t turns;
} branch_state;

enum { WINDS = 64 };

// Not to be seen through by the compiler, which would warn.
__attribute__((noinline)) static void blow(int32_t *winds, bool is_storm)
{
    __asm__ volatile("" : : "r"(winds) : "memory");
    if (is_storm) {
        memset(winds, 0, WINDS * sizeof(*winds));
    }
}

__attribute__((noinline)) static int32_t turn(bool is_storm)
{
    int32_t winds[WINDS];
    blow(winds, is_storm);
    volatile int32_t turns = 1;
    if (winds[WINDS / 2] == 4711) {
        turns = 2;
    }
    return turns;
}

static void branch_init(void *state, const bks_start *start)
{
    (void)start;
    ((branch_state *)state)->turns = 1;
}

static void branch_step(void *state, const bks_step *step)
{
    branch_state *branch = state;
    planted_move(&branch->base, step);
    branch->turns += turn(step->tick < 18);
    bks_mark(step, "turn");
}

PLANTED("branch_unset", branch_state, .state_bytes = sizeof(branch_state), .init = branch_init,
        .step = branch_step);
