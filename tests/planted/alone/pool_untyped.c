// SPDX-License-Identifier: MIT

// Items of a pool have no type in the game's table, and a static variable counts in one.

#include "planted.h"

typedef struct missile {
    int32_t speed;
    int32_t fuel;
    int32_t place[4];
} missile;

typedef struct untyped_state {
    planted_base base;
    bks_id id;
    bks_ref missiles;
} untyped_state;

static int32_t shots;

static void untyped_init(void *state, const bks_start *start)
{
    (void)start;
    untyped_state *untyped = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*untyped));
    bks_pool *missiles = bks_pool_create(arena, "missiles", sizeof(missile), 8);
    void *item = NULL;
    bks_ref_set(&untyped->missiles, missiles);
    untyped->id = bks_pool_add(missiles, &item);
    *(missile *)item = (missile){.speed = 3};
}

static void untyped_step(void *state, const bks_step *step)
{
    untyped_state *untyped = state;
    planted_move(&untyped->base, step);
    missile *shot = bks_pool_get(bks_ref_get(&untyped->missiles), untyped->id);
    shot->fuel = ++shots;
    bks_mark(step, "shots");
}

PLANTED("pool_untyped", untyped_state, .state_bytes = 16384, .root_bytes = sizeof(untyped_state),
        .init = untyped_init, .step = untyped_step);
