// SPDX-License-Identifier: MIT

// `bot` draws from the random generator of the steps.

#include "planted.h"

#ifndef FIRST_TICK
#define FIRST_TICK 0 // first tick at which the bot draws
#endif

typedef struct random_state {
    planted_base base;
    uint32_t random;
} random_state;

static uint32_t next(random_state *random)
{
    random->random = random->random * 1664525u + 1013904223u;
    return random->random;
}

static void random_init(void *state, const bks_start *start)
{
    ((random_state *)state)->random = (uint32_t)start->seed;
}

static void random_step(void *state, const bks_step *step)
{
    random_state *random = state;
    planted_move(&random->base, step);
    random->base.x[0] += (int32_t)(next(random) >> 30);
    bks_mark(step, "luck");
}

static void random_bot(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                       int32_t *values)
{
    (void)player;
    (void)memory;
    if (tick >= FIRST_TICK) {
        values[0] = (int32_t)(next((random_state *)(uintptr_t)state) >> 31);
    }
}

PLANTED("shared_random", random_state, .state_bytes = sizeof(random_state), .init = random_init,
        .step = random_step, .bot = random_bot);
