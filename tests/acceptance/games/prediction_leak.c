// SPDX-License-Identifier: MIT

// A game that behaves differently while it guesses: it remembers outside the state which ticks it
// stepped, guessed and repeated ones, too. Playing in order does not show it.

#include <stdint.h>

#include "backstitch/plugin.h"

typedef struct leak_state {
    uint64_t sum;
    uint64_t remembered;
} leak_state;

static uint64_t ticks_stepped;

static void leak_init(void *state, const bks_start *start)
{
    ticks_stepped = 0;
    *(leak_state *)state = (leak_state){.sum = start->seed};
}

static void leak_step(void *state, const bks_step *step)
{
    leak_state *game = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        game->sum = game->sum * 31 + (uint32_t)step->inputs[i];
    }
    ticks_stepped = ticks_stepped * 31 + (uint32_t)step->tick;
    game->remembered = ticks_stepped;
}

static const bks_field fields[] = {{.name = "move", .bits = 4, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

static const bks_game leak_game = {
    .name = "prediction_leak",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 2,
    .state_bytes = 4096,
    .init = leak_init,
    .step = leak_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &leak_game};
