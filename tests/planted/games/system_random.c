// SPDX-License-Identifier: MIT

// The process draws a key from the system's random numbers. Hash maps that guard against flooding
// do so.

#include <sys/random.h>

#include "planted.h"

typedef struct keyed_state {
    planted_base base;
    uint32_t slot;
} keyed_state;

static uint32_t key;
static bool has_key;

static void keyed_init(void *state, const bks_start *start)
{
    (void)start;
    ((keyed_state *)state)->slot = 1;
}

static uint32_t choose_slot(void)
{
    if (!has_key && getrandom(&key, sizeof(key), 0) == (ssize_t)sizeof(key)) {
        has_key = true;
    }
    return key >> 8;
}

static void keyed_step(void *state, const bks_step *step)
{
    keyed_state *keyed = state;
    planted_move(&keyed->base, step);
    if (step->tick == 5) {
        keyed->slot = choose_slot();
    }
    bks_mark(step, "slot");
}

PLANTED("system_random", keyed_state, .state_bytes = sizeof(keyed_state), .init = keyed_init,
        .step = keyed_step);
