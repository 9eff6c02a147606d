// SPDX-License-Identifier: MIT

// Names are sorted by the locale.

#include "planted.h"

typedef struct locale_state {
    planted_base base;
    uint32_t first;
} locale_state;

static void locale_init(void *state, const bks_start *start)
{
    (void)start;
    ((locale_state *)state)->first = 2;
}

static void locale_step(void *state, const bks_step *step)
{
    static const char *const names[] = {"apple", "Zebra"};
    locale_state *sorted = state;
    planted_move(&sorted->base, step);
    if (step->tick == 8) {
        sorted->first = strcoll(names[0], names[1]) < 0 ? 0 : 1;
    }
    bks_mark(step, "sort");
}

PLANTED("locale_sort", locale_state, .state_bytes = sizeof(locale_state), .init = locale_init,
        .step = locale_step);
