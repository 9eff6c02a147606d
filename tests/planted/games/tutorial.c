// SPDX-License-Identifier: MIT

// A file in the home folder decides whether the tutorial is shown.

#include <stdlib.h>
#include <unistd.h>

#include "planted.h"

typedef struct tutorial_state {
    planted_base base;
    uint32_t was_shown;
    int32_t prize;
} tutorial_state;

static void tutorial_init(void *state, const bks_start *start)
{
    (void)start;
#ifdef MENDED // it is shown to everybody
    ((tutorial_state *)state)->was_shown = 0;
#else
    const char *home = getenv("HOME");
    ((tutorial_state *)state)->was_shown = home != NULL && access(home, F_OK) == 0 ? 1 : 0;
#endif
}

static void tutorial_step(void *state, const bks_step *step)
{
    tutorial_state *tutorial = state;
    planted_move(&tutorial->base, step);
    if (step->tick == 30 && tutorial->was_shown == 0) {
        tutorial->prize++;
    }
    bks_mark(step, "tutorial");
}

PLANTED("tutorial", tutorial_state, .state_bytes = sizeof(tutorial_state), .init = tutorial_init,
        .step = tutorial_step);
