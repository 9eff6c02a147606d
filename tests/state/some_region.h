// SPDX-License-Identifier: MIT

/// @file some_region.h
/// A region as a small game would have it: a root, two pools and a few changes in them.

#ifndef TEST_SOME_REGION_H
#define TEST_SOME_REGION_H

#include <string.h>

#include "state/region.h"

#define SOME_CAPACITY_BYTES 20000u

typedef struct some_root {
    bks_ref shots;
    bks_ref walls;
    uint8_t bytes[30];
} some_root;

typedef struct some_shot {
    int32_t x;
    int32_t y;
    uint8_t flags;
} some_shot;

static inline bks_arena *some_arena(const bksi_region *region)
{
    return bks_arena_of(region->bytes, sizeof(some_root));
}

static inline bks_pool *some_shots(const bksi_region *region)
{
    return bks_ref_get(&((some_root *)(void *)region->bytes)->shots);
}

static inline bks_pool *some_walls(const bksi_region *region)
{
    return bks_ref_get(&((some_root *)(void *)region->bytes)->walls);
}

/// An empty region for some_root.
static inline bks_status some_region_create(bksi_region *region)
{
    const bks_allocator allocator = {0};
    return bksi_region_create(region, SOME_CAPACITY_BYTES, sizeof(some_root), &allocator, NULL);
}

/// What `init` and a few steps of a game would leave.
static inline void some_region_fill(bksi_region *region)
{
    some_root *root = (void *)region->bytes;
    bks_arena *arena = some_arena(region);
    memset(root->bytes, 0x42, sizeof(root->bytes));
    bks_pool *shots = bks_pool_create(arena, "shots", sizeof(some_shot), 100);
    bks_ref_set(&root->shots, shots);
    bks_ref_set(&root->walls, bks_pool_create(arena, "walls", 40, 20));
    bks_id ids[10];
    for (int32_t i = 0; i < 10; i++) {
        void *item;
        ids[i] = bks_pool_add(shots, &item);
        *(some_shot *)item = (some_shot){.x = i, .y = -i, .flags = 7};
    }
    for (int32_t i = 0; i < 10; i += 3) {
        bks_pool_remove(shots, ids[i]);
    }
    bks_pool_add(some_walls(region), NULL);
}

/// Setup and teardown of a test whose state is a region.
static inline int some_region_set_up(void **state)
{
    static bksi_region region;
    *state = &region;
    return some_region_create(&region);
}

static inline int some_region_tear_down(void **state)
{
    bksi_region_destroy(*state);
    return 0;
}

#endif
