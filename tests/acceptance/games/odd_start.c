// SPDX-License-Identifier: MIT

// A game whose `init` reads what is not the same everywhere: the environment.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"

typedef struct odd_state {
    uint32_t sum;
    uint32_t level; ///< ODD_LEVEL of the environment
    uint32_t lives[2];
} odd_state;

static void odd_init(void *state, const bks_start *start)
{
    odd_state *game = state;
    const char *level = getenv("ODD_LEVEL");
    game->sum = (uint32_t)start->seed;
    game->level = level != NULL ? (uint32_t)atoi(level) : 0;
    game->lives[0] = game->lives[1] = 3;
}

static void odd_step(void *state, const bks_step *step)
{
    odd_state *game = state;
    const int32_t *first = bks_step_input(step, 0);
    game->sum = game->sum * 1664525u + (uint32_t)first[0] + game->level;
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true}};

static const bks_state_range ranges[] = {
    BKS_RANGE(odd_state, sum, true),
    BKS_RANGE(odd_state, level, true),
    BKS_RANGE(odd_state, lives, true),
};

static const bks_game odd_game = {
    .name = "odd_start",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(odd_state),
    .ranges = ranges,
    .range_count = 3,
    .init = odd_init,
    .step = odd_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &odd_game};
