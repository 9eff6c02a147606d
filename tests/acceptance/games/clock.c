// SPDX-License-Identifier: MIT

// A game with the classic mistake: from tick 120 on its step reads the clock.

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "backstitch/plugin.h"

enum { FIRST_READ_TICK = 120 };

typedef struct clock_state {
    uint64_t sum;
    bool is_reading;
} clock_state;

static void clock_init(void *state, const bks_start *start)
{
    clock_state *game = state;
    game->sum = start->seed;
    game->is_reading = strcmp(bks_start_option(start, "read"), "no") != 0;
}

static void clock_step(void *state, const bks_step *step)
{
    clock_state *game = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        game->sum = game->sum * 6364136223846793005u + (uint32_t)step->inputs[i];
    }
    if (game->is_reading && step->tick >= FIRST_READ_TICK) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        game->sum += (uint64_t)now.tv_nsec;
    }
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

static const bks_option options[] = {
    {.name = "read", .default_value = "yes", .help = "yes or no: whether it reads the clock"}};

static const bks_game clock_game = {
    .name = "clock",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 2,
    .options = options,
    .option_count = 1,
    .state_bytes = 4096,
    .init = clock_init,
    .step = clock_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &clock_game};
