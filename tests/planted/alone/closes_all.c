// SPDX-License-Identifier: MIT

// `init` closes all file descriptors that there may be, as a daemon does.

#include <unistd.h>

#include "planted.h"

typedef struct closing_state {
    planted_base base;
    int32_t sum;
} closing_state;

static void closing_init(void *state, const bks_start *start)
{
    (void)start;
    ((closing_state *)state)->sum = 0;
    for (int descriptor = 3; descriptor < 256; descriptor++) {
        (void)close(descriptor);
    }
}

static void closing_step(void *state, const bks_step *step)
{
    closing_state *closing = state;
    planted_move(&closing->base, step);
    closing->sum++;
    bks_mark(step, "sum");
}

PLANTED("closes_all", closing_state, .state_bytes = sizeof(closing_state), .init = closing_init,
        .step = closing_step);
