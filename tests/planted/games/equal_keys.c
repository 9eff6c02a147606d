// SPDX-License-Identifier: MIT

// An unstable sort meets equal keys; the other build has another sort.

#include "planted.h"

enum { THINGS = 8 };

typedef struct keys_state {
    planted_base base;
    uint32_t first;
} keys_state;

typedef struct thing {
    int32_t key;
    uint32_t number;
} thing;

static void swap(thing *a, thing *b)
{
    const thing moved = *a;
    *a = *b;
    *b = moved;
}

// One library sorts by insertion, which keeps the order of equals, the other by selection.
static void sort(thing *things)
{
#ifdef SORTS_BY_SELECTION
    for (uint32_t i = 0; i < THINGS; i++) {
        uint32_t least = i;
        for (uint32_t k = i; k < THINGS; k++) {
            least = things[k].key < things[least].key ? k : least;
        }
        swap(&things[i], &things[least]);
    }
#else
    for (uint32_t i = 1; i < THINGS; i++) {
        for (uint32_t k = i; k > 0 && things[k].key < things[k - 1].key; k--) {
            swap(&things[k], &things[k - 1]);
        }
    }
#endif
}

static void keys_init(void *state, const bks_start *start)
{
    (void)start;
    ((keys_state *)state)->first = 0;
}

static void keys_step(void *state, const bks_step *step)
{
    keys_state *keys = state;
    thing things[THINGS];
    planted_move(&keys->base, step);
    for (uint32_t i = 0; i < THINGS; i++) {
        things[i] = (thing){.key = 2, .number = i};
    }
    if (step->tick >= 12) {
        things[THINGS - 1].key = 1; // selection changes places with the first
    }
    sort(things);
    keys->first = things[1].number;
    bks_mark(step, "sort");
}

PLANTED("equal_keys", keys_state, .state_bytes = sizeof(keys_state), .init = keys_init,
        .step = keys_step);
