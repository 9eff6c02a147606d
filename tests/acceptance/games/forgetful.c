// SPDX-License-Identifier: MIT

// A game with a mistake: its step reads something outside of its state. Playing in order does not
// show it; a keyframe does not have it.

#include <stdint.h>

#include "backstitch/plugin.h"

typedef struct forgetful_state {
    uint64_t sum;
} forgetful_state;

static uint64_t outside;

static void forgetful_init(void *state, const bks_start *start)
{
    outside = 0;
    ((forgetful_state *)state)->sum = start->seed;
}

static void forgetful_step(void *state, const bks_step *step)
{
    forgetful_state *game = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        outside = outside * 31 + (uint32_t)step->inputs[i];
    }
    game->sum = game->sum * 7 + outside;
}

static const bks_field fields[] = {{.name = "fire", .bits = 4}};

static const bks_game forgetful_game = {
    .name = "forgetful",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .state_bytes = 4096,
    .init = forgetful_init,
    .step = forgetful_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI,
                                                      .game = &forgetful_game};
