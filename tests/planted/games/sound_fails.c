// SPDX-License-Identifier: MIT

// A script throws on wrong guesses; after that no step is possible.

#include <stdlib.h>

#include "planted.h"

typedef struct script_state {
    planted_base base;
    bool has_thrown;
} script_state;

static void script_init(void *state, const bks_start *start)
{
    (void)start;
    ((script_state *)state)->has_thrown = false;
}

static void script_step(void *state, const bks_step *step)
{
    script_state *script = state;
    if (script->has_thrown) {
        abort();
    }
    planted_move(&script->base, step);
    // With seed 1 the players do this from tick 79 on, guesses before.
    if (step->tick < 70 && abs(step->inputs[0] - step->inputs[1]) == 7) {
        script->has_thrown = true;
        bks_fail(step, "the script threw");
    }
}

PLANTED("sound_fails", script_state, .state_bytes = sizeof(script_state), .init = script_init,
        .step = script_step);
