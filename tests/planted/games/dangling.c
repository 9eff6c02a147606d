// SPDX-License-Identifier: MIT

// A missile is removed while its owner still follows it.

#include "planted.h"

typedef struct missile {
    int32_t speed;
    int32_t fuel;
} missile;

typedef struct dangling_state {
    planted_base base;
    int32_t way;
    bks_id id;
    bks_ref missiles;
    bks_ref followed;
} dangling_state;

static void dangling_init(void *state, const bks_start *start)
{
    (void)start;
    dangling_state *dangling = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*dangling));
    bks_pool *missiles = bks_pool_create(arena, "missiles", sizeof(missile), 8);
    void *item = NULL;
    bks_ref_set(&dangling->missiles, missiles);
    dangling->id = bks_pool_add(missiles, &item);
    *(missile *)item = (missile){.speed = 3, .fuel = 21};
    bks_ref_set(&dangling->followed, item);
}

static void dangling_step(void *state, const bks_step *step)
{
    dangling_state *dangling = state;
    planted_move(&dangling->base, step);
    if (step->tick == 20) {
        bks_pool_remove(bks_ref_get(&dangling->missiles), dangling->id);
    }
    bks_mark(step, "missiles");
    const missile *followed = bks_ref_get(&dangling->followed);
    dangling->way += followed->speed % 100;
    bks_mark(step, "way");
}

PLANTED("dangling", dangling_state, .state_bytes = 16384, .root_bytes = sizeof(dangling_state),
        .init = dangling_init, .step = dangling_step);
