// SPDX-License-Identifier: MIT

// A game whose tick 10 never ends when PLANTED_HANG is set.

#include <stdint.h>
#include <stdlib.h>

#include "backstitch/plugin.h"

static void hangs_init(void *state, const bks_start *start)
{
    *(uint64_t *)state = start->seed;
}

static void hangs_step(void *state, const bks_step *step)
{
    volatile uint64_t *sum = state;
    do {
        *sum = *sum * 6364136223846793005u + (uint32_t)step->inputs[0];
    } while (step->tick == 10 && getenv("PLANTED_HANG") != NULL);
}

static const bks_field fields[] = {{.name = "x", .bits = 8}};

static const bks_game hangs_game = {
    .name = "hangs",
    .tick_rate_hz = 60,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .state_bytes = 64,
    .init = hangs_init,
    .step = hangs_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &hangs_game};
