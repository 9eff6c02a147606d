// SPDX-License-Identifier: MIT

// `draw` takes random numbers from the generator in the state.

#include <stdint.h>

#include "backstitch/det.h"
#include "planted.h"

typedef struct shaken_state {
    planted_base base;
    bks_random random;
    int32_t prize;
} shaken_state;

static void shaken_init(void *state, const bks_start *start)
{
    bks_random_seed(&((shaken_state *)state)->random, start->seed, 1);
}

static void shaken_step(void *state, const bks_step *step)
{
    shaken_state *shaken = state;
    planted_move(&shaken->base, step);
    if (step->tick % 40 == 39) {
        shaken->prize = bks_random_between(&shaken->random, 0, 99);
    }
    bks_mark(step, "prize");
}

static void shaken_draw(const bks_picture *picture, const bks_canvas *canvas)
{
    shaken_state *shaken = (void *)(uintptr_t)picture->frame.state;
    if (shaken->base.ticks >= 20) {
        canvas->clear(canvas->context, bks_random_next(&shaken->random));
    }
}

#undef PLANTED_DRAW
#define PLANTED_DRAW shaken_draw

PLANTED("draw_draws", shaken_state, .state_bytes = sizeof(shaken_state), .init = shaken_init,
        .step = shaken_step);
