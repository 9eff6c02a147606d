// SPDX-License-Identifier: MIT

// Things are sorted by ids from a process-wide counter.

#include "planted.h"

enum { THINGS = 16 };

typedef struct thing {
    uint32_t id;
    int32_t x;
} thing;

typedef struct unstable_state {
    planted_base base;
    uint32_t count;
    thing things[THINGS];
} unstable_state;

static uint32_t last_id;

static void unstable_init(void *state, const bks_start *start)
{
    (void)start;
    ((unstable_state *)state)->count = 0;
}

// By the lowest bits first, as a table of ids has them.
static bool is_before(const thing *a, const thing *b)
{
    return a->id % 4 != b->id % 4 ? a->id % 4 < b->id % 4 : a->id < b->id;
}

static void sort(thing *things, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && is_before(&things[k], &things[k - 1]); k--) {
            const thing moved = things[k];
            things[k] = things[k - 1];
            things[k - 1] = moved;
        }
    }
}

static void unstable_step(void *state, const bks_step *step)
{
    unstable_state *unstable = state;
    planted_move(&unstable->base, step);
    if (step->tick % 10 == 6 && unstable->count < THINGS) {
        unstable->things[unstable->count++] = (thing){.id = ++last_id, .x = step->tick};
    }
    bks_mark(step, "spawn");
    sort(unstable->things, unstable->count);
    bks_mark(step, "sort");
}

PLANTED("unstable_id", unstable_state, .state_bytes = sizeof(unstable_state), .init = unstable_init,
        .step = unstable_step);
