// SPDX-License-Identifier: MIT

// Sound: a timer of the engine interrupts whatever waits, each millisecond.

#define _GNU_SOURCE

#include <signal.h>
#include <sys/time.h>

#include "planted.h"

typedef struct timer_state {
    planted_base base;
} timer_state;

static void ring(int number)
{
    (void)number;
}

static void timer_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
    const struct sigaction action = {.sa_handler = ring};
    (void)sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    (void)setitimer(ITIMER_REAL, &often, NULL);
}

static void timer_step(void *state, const bks_step *step)
{
    planted_move(&((timer_state *)state)->base, step);
}

PLANTED("sound_timer", timer_state, .state_bytes = sizeof(timer_state), .init = timer_init,
        .step = timer_step);
