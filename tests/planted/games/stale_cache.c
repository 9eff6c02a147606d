// SPDX-License-Identifier: MIT

// A cached sum is not updated by one change.

#include "planted.h"

typedef struct cache_state {
    planted_base base;
    int32_t sum;
} cache_state;

static void cache_init(void *state, const bks_start *start)
{
    (void)start;
    ((cache_state *)state)->sum = 0;
}

static void cache_step(void *state, const bks_step *step)
{
    cache_state *cache = state;
    planted_move(&cache->base, step);
    if (step->tick == 30) {
        cache->base.x[0] += 1000;
    } else if (step->tick < 30) {
        cache->sum = cache->base.x[0] + cache->base.x[1];
    }
    bks_mark(step, "sum");
}

static const char *cache_check(const void *state)
{
    const cache_state *cache = state;
    return cache->sum == cache->base.x[0] + cache->base.x[1] ? NULL : "the sum is not that of x";
}

PLANTED("stale_cache", cache_state, .state_bytes = sizeof(cache_state), .init = cache_init,
        .step = cache_step, .check = cache_check);
