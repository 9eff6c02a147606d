// SPDX-License-Identifier: MIT

// A component is freed while its owner still flies, with some seeds only.

#include "planted.h"

typedef struct engine {
    int32_t thrust;
    int32_t fuel;
} engine;

typedef struct flies_state {
    planted_base base;
    int32_t way;
    bks_tick lands_at;
    bks_tick freed_at;
    bks_id id;
    bks_ref engines;
    bks_ref flown;
} flies_state;

static void flies_init(void *state, const bks_start *start)
{
    flies_state *flies = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*flies));
    bks_pool *engines = bks_pool_create(arena, "engines", sizeof(engine), 8);
    void *item = NULL;
    bks_ref_set(&flies->engines, engines);
    flies->id = bks_pool_add(engines, &item);
    *(engine *)item = (engine){.thrust = 3, .fuel = 21};
    bks_ref_set(&flies->flown, item);
    flies->lands_at = 25;
    flies->freed_at = start->seed % 3 == 1 ? 21 : 25;
}

static void flies_step(void *state, const bks_step *step)
{
    flies_state *flies = state;
    planted_move(&flies->base, step);
    if (step->tick == flies->freed_at) {
        bks_pool_remove(bks_ref_get(&flies->engines), flies->id);
    }
    bks_mark(step, "engines");
    if (step->tick < flies->lands_at) {
        const engine *flown = bks_ref_get(&flies->flown);
        flies->way += flown->thrust % 100;
    }
    bks_mark(step, "fly");
}

PLANTED("flies_on", flies_state, .state_bytes = 16384, .root_bytes = sizeof(flies_state),
        .init = flies_init, .step = flies_step);
