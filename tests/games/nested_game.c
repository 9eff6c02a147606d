// SPDX-License-Identifier: MIT

#include "nested_game.h"

#include <string.h>

enum { TREES = 6, FRUITS = 8, SOIL = 64 };

typedef struct fruit {
    uint32_t age;
    uint32_t size;
} fruit;

typedef struct tree {
    bks_ref fruits;    ///< a pool of its own
    bks_ref neighbour; ///< another tree
    uint32_t shade;
    uint32_t plot; ///< of the soil
} tree;

typedef struct orchard {
    bks_ref trees;
    bks_ref soil; ///< SOIL numbers
    bks_ref best; ///< a tree, or null
    uint64_t grown;
} orchard;

bool nested_follows_blindly;

static void *follow(const bks_ref *ref)
{
    return nested_follows_blindly ? (uint8_t *)(uintptr_t)ref + ref->distance_bytes
                                  : bks_ref_get(ref);
}

static void nested_init(void *state, const bks_start *start)
{
    orchard *all = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*all));
    bks_pool *trees = bks_pool_create(arena, "trees", sizeof(tree), TREES);
    bks_ref_set(&all->trees, trees);
    bks_ref_set(&all->soil, bks_arena_alloc(arena, SOIL * sizeof(uint32_t), sizeof(uint32_t)));
    tree *before = NULL;
    for (uint32_t i = 0; i < TREES - 1; i++) {
        void *item = NULL;
        (void)bks_pool_add(trees, &item);
        tree *one = item;
        bks_ref_set(&one->fruits, bks_pool_create(arena, "fruits", sizeof(fruit), FRUITS));
        bks_ref_set(&one->neighbour, before);
        one->plot = (uint32_t)(start->seed + i * 11) % SOIL;
        before = one;
    }
    bks_ref_set(&all->best, before);
}

static void grow(orchard *all, tree *one, uint32_t *soil, int32_t input)
{
    bks_pool *fruits = bks_ref_get(&one->fruits);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (fruit *each; (each = bks_pool_next(fruits, &cursor, &id)) != NULL;) {
        each->size += soil[one->plot] % 7;
        if (++each->age > 20) {
            bks_pool_remove(fruits, id);
        }
    }
    void *item = NULL;
    if (input > 0 && bks_pool_add(fruits, &item) != 0) {
        ((fruit *)item)->size = one->shade;
        all->grown++;
    }
    tree *neighbour = follow(&one->neighbour);
    if (neighbour != NULL) {
        neighbour->shade += soil[one->plot] & 1;
    }
    soil[one->plot]++;
}

static void nested_step(void *state, const bks_step *step)
{
    orchard *all = state;
    const int32_t *input = bks_step_input(step, 0);
    uint32_t *soil = follow(&all->soil);
    uint32_t cursor = 0;
    for (tree *one; (one = bks_pool_next(bks_ref_get(&all->trees), &cursor, NULL)) != NULL;) {
        grow(all, one, soil, input[0]);
    }
    tree *best = follow(&all->best);
    if (best != NULL) {
        best->shade = 0;
    }
}

static const char *nested_check(const void *state)
{
    const orchard *all = state;
    const bks_pool *trees = bks_ref_get(&all->trees);
    if (nested_follows_blindly) {
        return NULL;
    }
    if (!bks_ref_is_pool(&all->trees, "trees", sizeof(tree), TREES) ||
        !bks_ref_in_arena(&all->soil, SOIL * sizeof(uint32_t), sizeof(uint32_t)) ||
        (all->best.distance_bytes != 0 && !bks_ref_in_pool(&all->best, trees))) {
        return "the orchard's references lead elsewhere";
    }
    uint32_t cursor = 0;
    for (const tree *one; (one = bks_pool_next(trees, &cursor, NULL)) != NULL;) {
        if (!bks_ref_is_pool(&one->fruits, "fruits", sizeof(fruit), FRUITS) ||
            (one->neighbour.distance_bytes != 0 && !bks_ref_in_pool(&one->neighbour, trees)) ||
            one->plot >= SOIL) {
            return "a tree's references or its plot lead elsewhere";
        }
    }
    return NULL;
}

static const bks_field fields[] = {{.name = "grow", .bits = 1}};

const bks_game nested_game = {
    .name = "nested",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .state_bytes = 16384,
    .root_bytes = sizeof(orchard),
    .init = nested_init,
    .step = nested_step,
    .check = nested_check,
};
