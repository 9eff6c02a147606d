// SPDX-License-Identifier: MIT

// `init` writes to no address, as it does where the memory that it asked for was not there.

#include "planted.h"

typedef struct early_state {
    planted_base base;
} early_state;

static uint32_t *volatile level;

static void early_init(void *state, const bks_start *start)
{
    (void)state;
    *level = (uint32_t)start->seed;
}

static void early_step(void *state, const bks_step *step)
{
    planted_move(&((early_state *)state)->base, step);
}

PLANTED("crashes_early", early_state, .state_bytes = sizeof(early_state), .init = early_init,
        .step = early_step);
