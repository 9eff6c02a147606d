// SPDX-License-Identifier: MIT

// An environment variable makes the game harder.

#include <stdlib.h>

#include "planted.h"

typedef struct asking_state {
    planted_base base;
    int32_t wind;
} asking_state;

static void asking_init(void *state, const bks_start *start)
{
    (void)start;
    ((asking_state *)state)->wind = getenv("PLANTED_HARD") != NULL ? 2 : 1;
}

static void asking_step(void *state, const bks_step *step)
{
    planted_move(state, step);
}

PLANTED("asks_name", asking_state, .state_bytes = sizeof(asking_state), .init = asking_init,
        .step = asking_step);
