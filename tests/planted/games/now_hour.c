// SPDX-License-Identifier: MIT

// An event of the game begins at an hour of the day where the player is.

#define _GNU_SOURCE

#include <time.h>

#include "planted.h"

enum { FIRST_TICK = 15 };

typedef struct event_state {
    planted_base base;
    int32_t hour;
} event_state;

static void event_init(void *state, const bks_start *start)
{
    (void)start;
    ((event_state *)state)->hour = -1;
}

static void event_step(void *state, const bks_step *step)
{
    event_state *event = state;
    planted_move(&event->base, step);
    if (step->tick == FIRST_TICK) {
        const time_t now = time(NULL);
        struct tm local;
        event->hour = localtime_r(&now, &local) != NULL ? local.tm_hour : 0;
    }
    bks_mark(step, "hour");
}

PLANTED("now_hour", event_state, .state_bytes = sizeof(event_state), .init = event_init,
        .step = event_step);
