// SPDX-License-Identifier: MIT

// A number is read from freed heap memory, where it still stands.

#include <stdlib.h>

#include "planted.h"

typedef struct early_state {
    planted_base base;
    uint32_t sum;
} early_state;

typedef struct early_thing {
    uint32_t of_the_heap[8]; // what free() writes into
    uint32_t number;
} early_thing;

static void early_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

// Not to be seen through by the compiler, which would warn.
static void drop(early_thing *thing)
{
    __asm__ volatile("" : "+r"(thing) : : "memory");
    free(thing);
}

static void early_step(void *state, const bks_step *step)
{
    early_state *early = state;
    planted_move(&early->base, step);
    early_thing *thing = calloc(1, sizeof(*thing));
    if (thing == NULL) {
        return;
    }
    thing->number = 3;
    if (step->tick == 14) {
        early_thing *volatile kept = thing;
        drop(thing);
        early->sum += kept->number;
    } else {
        early->sum += thing->number;
        drop(thing);
    }
    bks_mark(step, "sum");
}

PLANTED("freed_early", early_state, .state_bytes = sizeof(early_state), .init = early_init,
        .step = early_step);
