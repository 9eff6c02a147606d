// SPDX-License-Identifier: MIT

// duel, but for one tick: there it spoils its own state as BKS_HOSTILE says, and then stands still.
// A recording of it is one of duel, by name and version, with keyframes that no match can reach.

#include <stdlib.h>
#include <string.h>

#include "duel/duel.h"
#include "duel/duel_state.h"

enum {
    SPOILT_AT = 30,
    FAKE_AT = 64, ///< of the tiles
};

/// Every word is a huge offset, so that what follows one leaves the region.
static void lay_fake_pool(duel_state *duel, bks_ref *ref)
{
    uint8_t *fake = duel->tile + FAKE_AT + (16 - (offsetof(duel_state, tile) + FAKE_AT) % 16);
    memcpy(fake, bks_ref_get(ref), 112);
    const uint64_t far = UINT64_C(1) << 40;
    memcpy(fake + 40, &far, sizeof(far)); // where its live bits lie
    memcpy(fake + 48, &far, sizeof(far)); // where its items lie
    ref->distance_bytes = (int64_t)(fake - (uint8_t *)ref);
}

static void spoil(duel_state *duel, const char *how)
{
    if (strcmp(how, "far") == 0) {
        duel->particles.distance_bytes += INT64_C(1) << 40;
    } else if (strcmp(how, "fake") == 0) {
        lay_fake_pool(duel, &duel->particles);
    } else if (strcmp(how, "swapped") == 0) {
        bks_ref_set(&duel->ships, bks_ref_get(&duel->particles));
    } else if (strcmp(how, "field") == 0) {
        bks_ref_set(&duel->field, bks_ref_get(&duel->enemies));
        duel->field_is_stale = 1;
        duel->field_wait_ticks = 0;
    } else if (strcmp(how, "pool") == 0) {
        uint8_t *pool = bks_ref_get(&duel->particles);
        pool[50] ^= 1; // where its items lie
    } else if (strcmp(how, "count") == 0) {
        uint8_t *pool = bks_ref_get(&duel->particles);
        pool[96] ^= 255; // slots used at least once
    } else if (strcmp(how, "side") == 0) {
        duel_ship_of(duel, 0)->side = 200;
    }
}

static void spoilt_step(void *state, const bks_step *step)
{
    const char *how = getenv("BKS_HOSTILE");
    if (step->tick < SPOILT_AT) {
        duel_game.step(state, step);
    } else if (step->tick == SPOILT_AT && how != NULL) {
        spoil(state, how);
    }
}

static bks_game hostile_game;

__attribute__((constructor)) static void describe(void)
{
    hostile_game = duel_game;
    hostile_game.step = spoilt_step;
    hostile_game.check = NULL;
}

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &hostile_game};
