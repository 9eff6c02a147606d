// SPDX-License-Identifier: MIT

/// @file mapped_world.h
/// A region with the state of mapped.h: a pool, and blocks that references lead to.

#ifndef TEST_MAPPED_WORLD_H
#define TEST_MAPPED_WORLD_H

#include "mapped.h"
#include "state/region.h"

typedef struct world {
    bksi_region region;
    mapped_root *root;
    size_t used;
    bks_id ids[3];
    ship *ships[3];
    node *nodes[2];
    uint16_t *field;
    uint16_t *trail;
} world;

static inline uint64_t offset_of(const world *w, const void *address)
{
    return (uint64_t)((const uint8_t *)address - w->region.bytes);
}

static inline int set_up(void **state)
{
    static world w;
    const bks_allocator none = {0};
    w = (world){0};
    if (bksi_region_create(&w.region, 8192, sizeof(mapped_root), &none, NULL) != BKS_OK) {
        return 1;
    }
    w.root = (mapped_root *)(void *)w.region.bytes;
    bks_arena *arena = bks_arena_of(w.root, sizeof(mapped_root));
    w.field = bks_arena_alloc(arena, 5 * sizeof(uint16_t), 2);
    bks_pool *pool = bks_pool_create(arena, "ships", sizeof(ship), 4);
    for (int i = 0; i < 3; i++) {
        w.ids[i] = bks_pool_add(pool, (void **)&w.ships[i]);
    }
    (void)bks_pool_remove(pool, w.ids[0]);
    for (int i = 0; i < 2; i++) {
        w.nodes[i] = bks_arena_alloc(arena, sizeof(node), 8);
    }
    w.trail = bks_arena_alloc(arena, 5 * sizeof(uint16_t), 2);
    bks_ref_set(&w.root->ships, pool);
    bks_ref_set(&w.root->field, w.field);
    bks_ref_set(&w.root->list, w.nodes[0]);
    bks_ref_set(&w.nodes[0]->next, w.nodes[1]);
    bks_ref_set(&w.ships[2]->trail, w.trail);
    w.used = bksi_region_used(&w.region);
    *state = &w;
    return 0;
}

static inline int tear_down(void **state)
{
    bksi_region_destroy(&((world *)*state)->region);
    return 0;
}

#endif
