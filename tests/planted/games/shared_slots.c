// SPDX-License-Identifier: MIT

// `draw` takes slots from the allocator that steps use.

#include "planted.h"

typedef struct slots_state {
    planted_base base;
    uint32_t next_slot;
    uint32_t taken[4];
} slots_state;

static void slots_init(void *state, const bks_start *start)
{
    (void)start;
    ((slots_state *)state)->next_slot = 1;
}

static void slots_step(void *state, const bks_step *step)
{
    slots_state *slots = state;
    planted_move(&slots->base, step);
    slots->taken[(uint32_t)step->tick % 4] = slots->next_slot++;
    bks_mark(step, "slots");
}

static void slots_draw(const bks_picture *picture, const bks_canvas *canvas)
{
    (void)canvas;
    slots_state *slots = (slots_state *)(uintptr_t)picture->frame.state;
    slots->next_slot += slots->base.ticks == 7 ? 1 : 0;
}

#undef PLANTED_DRAW
#define PLANTED_DRAW slots_draw

PLANTED("shared_slots", slots_state, .state_bytes = sizeof(slots_state), .init = slots_init,
        .step = slots_step);
