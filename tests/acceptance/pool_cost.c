// SPDX-License-Identifier: MIT

// Walks each of many pools, as a game's step does, for pool_cost.py to count the instructions:
//
//     pool_cost WAY POOLS     one reference and one walk for each pool, 20 times over
//
// The ways: made, where the pools were created; restored, where their bytes were put into a new
// region; planted, which also walks the chain of all pools for each. What is counted is
// pool_cost_counted().

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "state/region.h"

enum { POOLS_MAX = 1000, ROUNDS = 20, CAPACITY_BYTES = 1 << 20 };

typedef struct root {
    bks_ref pools[POOLS_MAX];
    uint64_t sum;
} root;

void pool_cost_counted(root *state, uint32_t pools, bool is_planted);

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "pool_cost: %s\n", what);
        exit(1);
    }
}

static void make_region(bksi_region *region)
{
    const bks_allocator allocator = {0};
    need(bksi_region_create(region, CAPACITY_BYTES, sizeof(root), &allocator, NULL) == BKS_OK,
         "no region");
}

static void fill(bksi_region *region, uint32_t pools)
{
    root *state = (void *)region->bytes;
    bks_arena *arena = bks_arena_of(state, sizeof(*state));
    for (uint32_t i = 0; i < pools; i++) {
        bks_pool *pool = bks_pool_create(arena, "some", 16, 4);
        need(pool != NULL && bks_pool_add(pool, NULL) != 0, "no pool");
        need(bks_ref_set(&state->pools[i], pool) == BKS_OK, "no reference");
    }
}

__attribute__((noinline)) void pool_cost_counted(root *state, uint32_t pools, bool is_planted)
{
    const bks_arena *arena = bks_arena_of(state, sizeof(*state));
    for (uint32_t i = 0; i < ROUNDS * pools; i++) {
        const bks_pool *pool = bks_ref_get(&state->pools[i % pools]);
        uint32_t cursor = 0;
        for (uint64_t *item; (item = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
            state->sum += ++*item;
        }
        if (is_planted) {
            state->sum += bks_arena_inspect(arena, NULL, 0);
        }
    }
}

int main(int argc, char **argv)
{
    need(argc == 3, "usage: pool_cost made|restored|planted POOLS");
    const uint32_t pools = (uint32_t)strtoul(argv[2], NULL, 10);
    need(pools > 0 && pools <= POOLS_MAX, "POOLS is out of range");
    bksi_region made;
    bksi_region restored;
    make_region(&made);
    make_region(&restored);
    fill(&made, pools);
    need(bksi_region_restore(&restored, made.bytes, bksi_region_used(&made), NULL) == BKS_OK,
         "not restored");
    bksi_region *chosen = strcmp(argv[1], "restored") == 0 ? &restored : &made;
    root *state = (void *)chosen->bytes;
    pool_cost_counted(state, pools, strcmp(argv[1], "planted") == 0);
    need(state->sum >= (uint64_t)pools * ROUNDS * (ROUNDS + 1) / 2, "an item was left out");
    bksi_region_destroy(&restored);
    bksi_region_destroy(&made);
    return 0;
}
