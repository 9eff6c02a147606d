// SPDX-License-Identifier: MIT

// Walks over the values of a state of many pools, for walk_cost.py to count the instructions:
//
//     walk_cost WAY POOLS
//
// The ways: mapped, by a state map; plain, without one; planted, which also looks up each value
// anew, and so goes over all pools before it. What is counted is walk_cost_counted().

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "state/region.h"

enum { CAPACITY_BYTES = 1 << 20 };

typedef struct root {
    uint64_t number;
} root;

static const bks_map_member members[] = {{.name = "number", .type = 1}};
static const bks_map_type types[] = {
    {.name = "root",
     .kind = BKS_MAP_STRUCT,
     .bytes = sizeof(root),
     .members = members,
     .member_count = 1},
    {.name = "uint64_t", .kind = BKS_MAP_UINT, .bytes = 8},
};
static const bks_map_pool pools_of_numbers[] = {{.name = "some", .type = 1}};
static const bks_state_map map = {
    .types = types, .type_count = 2, .has_arena = true, .pools = pools_of_numbers, .pool_count = 1};

typedef struct visits {
    const bksi_region *region;
    uint64_t bytes;
    uint32_t live;
    bool is_planted;
} visits;

void walk_cost_counted(const bks_state_names *names, visits *seen);

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "walk_cost: %s\n", what);
        exit(1);
    }
}

static bool visit(void *context, const bks_map_place *place)
{
    visits *seen = context;
    seen->bytes += place->end_bytes - place->begin_bytes;
    seen->live += place->use == BKS_MAP_LIVE;
    if (seen->is_planted) {
        bks_map_place again;
        (void)bks_state_map_find(&map, seen->region->bytes, bksi_region_used(seen->region),
                                 place->begin_bytes, 0, &again);
    }
    return true;
}

__attribute__((noinline)) void walk_cost_counted(const bks_state_names *names, visits *seen)
{
    need(bks_state_walk(names, seen->region->bytes, bksi_region_used(seen->region), visit, seen) ==
             BKS_OK,
         "the walk ends early");
}

int main(int argc, char **argv)
{
    need(argc == 3, "usage: walk_cost mapped|plain|planted POOLS");
    const uint32_t pools = (uint32_t)strtoul(argv[2], NULL, 10);
    const bks_allocator allocator = {0};
    const bks_state_names names = {.map = strcmp(argv[1], "plain") == 0 ? NULL : &map};
    bksi_region region;
    need(bksi_region_create(&region, CAPACITY_BYTES, sizeof(root), &allocator, NULL) == BKS_OK,
         "no region");
    bks_arena *arena = bks_arena_of(region.bytes, sizeof(root));
    for (uint32_t i = 0; i < pools; i++) {
        bks_pool *pool = bks_pool_create(arena, "some", 8, 2);
        need(pool != NULL && bks_pool_add(pool, NULL) != 0, "no pool");
    }
    visits seen = {.region = &region, .is_planted = strcmp(argv[1], "planted") == 0};
    walk_cost_counted(&names, &seen);
    need(seen.bytes == bksi_region_used(&region) && seen.live >= pools, "not all was visited");
    bksi_region_destroy(&region);
    return 0;
}
