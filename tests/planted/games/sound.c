// SPDX-License-Identifier: MIT

// Plain movement, nothing odd.

#include "planted.h"

typedef struct sound_state {
    planted_base base;
    int32_t prize;
} sound_state;

static void sound_init(void *state, const bks_start *start)
{
    ((sound_state *)state)->prize = (int32_t)(start->seed % 100);
}

static void sound_step(void *state, const bks_step *step)
{
    sound_state *sound = state;
    planted_move(&sound->base, step);
    sound->prize += sound->base.x[0] > sound->base.x[1] ? 1 : 2;
    bks_mark(step, "prize");
}

PLANTED("sound", sound_state, .state_bytes = sizeof(sound_state), .init = sound_init,
        .step = sound_step);
