// SPDX-License-Identifier: MIT

// The engine's timer sends a signal every millisecond, which interrupts waits.

#define _GNU_SOURCE

#include "planted.h"
#include "planted_timer.h"

typedef struct timer_state {
    planted_base base;
} timer_state;

static void timer_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
    planted_begin_timer();
}

static void timer_step(void *state, const bks_step *step)
{
    planted_move(&((timer_state *)state)->base, step);
}

PLANTED("sound_timer", timer_state, .state_bytes = sizeof(timer_state), .init = timer_init,
        .step = timer_step);
