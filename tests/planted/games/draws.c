// SPDX-License-Identifier: MIT

// `draw` counts pictures, and a step reads the count.

#include "planted.h"

typedef struct drawn_state {
    planted_base base;
    int32_t pictures;
} drawn_state;

static int32_t pictures;

static void drawn_init(void *state, const bks_start *start)
{
    (void)start;
    ((drawn_state *)state)->pictures = 0;
}

static void drawn_step(void *state, const bks_step *step)
{
    drawn_state *drawn = state;
    planted_move(&drawn->base, step);
    if (step->tick >= 11) {
        drawn->pictures = pictures;
    }
    bks_mark(step, "pictures");
}

static void drawn_draw(const bks_picture *picture, const bks_canvas *canvas)
{
    (void)picture;
    canvas->clear(canvas->context, 0x000000FF);
    pictures++;
}

#undef PLANTED_DRAW
#define PLANTED_DRAW drawn_draw

PLANTED("draws", drawn_state, .state_bytes = sizeof(drawn_state), .init = drawn_init,
        .step = drawn_step);
