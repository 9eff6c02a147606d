// SPDX-License-Identifier: MIT

// `init` of the process's third match writes to an invalid address.

#include "planted.h"

typedef struct second_state {
    planted_base base;
    int32_t way;
} second_state;

static int32_t matches;
static int32_t memory[2];
static int32_t *const nowhere = (int32_t *)(uintptr_t)16;

static void second_init(void *state, const bks_start *start)
{
    (void)start;
    int32_t *volatile own = ++matches <= 2 ? &memory[matches - 1] : nowhere;
    *own = 1;
    ((second_state *)state)->way = 1;
}

static void second_step(void *state, const bks_step *step)
{
    second_state *second = state;
    planted_move(&second->base, step);
    second->way++;
    bks_mark(step, "way");
}

PLANTED("crashes_second", second_state, .state_bytes = sizeof(second_state), .init = second_init,
        .step = second_step);
