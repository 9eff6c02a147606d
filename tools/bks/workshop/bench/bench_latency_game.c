// SPDX-License-Identifier: MIT

#include "workshop/bench/bench_latency_game.h"

typedef struct key_state {
    int32_t pressed;
} key_state;

static void key_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void key_step(void *state, const bks_step *step)
{
    ((key_state *)state)->pressed = step->inputs[0];
}

// Nothing moves; a picture of the game is a copy all the same.
static void key_extrapolate(void *state, const bks_step *step, float share)
{
    (void)state;
    (void)step;
    (void)share;
}

static const bks_field fields[] = {{.name = "pressed", .bits = 16}};

const bks_game latency_game = {
    .name = "key",
    .version = 1,
    .tick_rate_hz = LATENCY_TICKS_HZ,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(key_state),
    .init = key_init,
    .step = key_step,
    .extrapolate = key_extrapolate,
};

int32_t latency_shown(const bks_frame *frame)
{
    return ((const key_state *)frame->state)->pressed;
}
