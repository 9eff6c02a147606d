// SPDX-License-Identifier: MIT

// A static variable keeps an option of the process's first match.

#include <stdlib.h>

#include "planted.h"

static const bks_option planted_options[] = {{"gravity", "3", "1 to 9"}};

typedef struct option_state {
    planted_base base;
    int32_t fall;
} option_state;

static int32_t gravity;

static void option_init(void *state, const bks_start *start)
{
    gravity = gravity != 0 ? gravity : atoi(bks_start_option(start, "gravity"));
    ((option_state *)state)->fall = 0;
}

static void option_step(void *state, const bks_step *step)
{
    option_state *option = state;
    planted_move(&option->base, step);
    option->fall = (option->fall * 3 + gravity) % 1000;
    bks_mark(step, "fall");
}

PLANTED("option_kept", option_state, .state_bytes = sizeof(option_state), .init = option_init,
        .step = option_step, .options = planted_options, .option_count = 1);
