// SPDX-License-Identifier: MIT

// `rand()`: the C library keeps its state outside the game's.

#include <stdlib.h>

#include "backstitch/det.h"
#include "planted.h"

typedef struct rand_state {
    planted_base base;
    struct {
        int32_t x, y;
    } sparks[8];
#ifdef MENDED // as docs/guide/debugging-a-desync.md mends it
    bks_random random;
#endif
} rand_state;

static void rand_init(void *state, const bks_start *start)
{
    (void)start;
    ((rand_state *)state)->sparks[0].x = 1;
#ifdef MENDED
    bks_random_seed(&((rand_state *)state)->random, start->seed, 1);
#endif
}

static void rand_step(void *state, const bks_step *step)
{
    rand_state *random = state;
    planted_move(&random->base, step);
    if (step->tick % 10 == 5) {
#ifdef MENDED
        random->sparks[3].y = (int32_t)(bks_random_next(&random->random) >> 1);
#else
        random->sparks[3].y = rand();
#endif
    }
    bks_mark(step, "sparks");
}

PLANTED("c_rand", rand_state, .state_bytes = sizeof(rand_state), .init = rand_init,
        .step = rand_step);
