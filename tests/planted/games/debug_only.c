// SPDX-License-Identifier: MIT

// An `assert` has a side effect; the other build has `NDEBUG`.

#include <assert.h>

#include "planted.h"

typedef struct debug_state {
    planted_base base;
    int32_t fuel;
} debug_state;

static void debug_init(void *state, const bks_start *start)
{
    (void)start;
    ((debug_state *)state)->fuel = 100;
}

static void debug_step(void *state, const bks_step *step)
{
    debug_state *debug = state;
    planted_move(&debug->base, step);
    if (step->tick >= 19) {
#ifdef MENDED
        debug->fuel--;
        assert(debug->fuel > -1000);
#else
        assert(--debug->fuel > -1000);
#endif
    }
    bks_mark(step, "fuel");
}

PLANTED("debug_only", debug_state, .state_bytes = sizeof(debug_state), .init = debug_init,
        .step = debug_step);
