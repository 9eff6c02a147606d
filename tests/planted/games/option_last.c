// SPDX-License-Identifier: MIT

// A static variable holds an option of the newest match. All matches of the process use it.

#include <stdlib.h>

#include "planted.h"

static const bks_option planted_options[] = {{"gravity", "3", "1 to 9"}};

typedef struct last_state {
    planted_base base;
    int32_t fall;
} last_state;

static int32_t gravity;

static void last_init(void *state, const bks_start *start)
{
    gravity = atoi(bks_start_option(start, "gravity"));
    ((last_state *)state)->fall = 0;
}

static void last_step(void *state, const bks_step *step)
{
    last_state *last = state;
    planted_move(&last->base, step);
    last->fall = (last->fall * 3 + gravity) % 1000;
    bks_mark(step, "fall");
}

PLANTED("option_last", last_state, .state_bytes = sizeof(last_state), .init = last_init,
        .step = last_step, .options = planted_options, .option_count = 1);
