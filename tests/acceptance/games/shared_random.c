// SPDX-License-Identifier: MIT

// A game with a mistake of its own monkeys: what they press and what the step needs by chance come
// from one generator. Played live, pressing moves it on; from a recording nothing does.

#include <stdint.h>
#include <string.h>

#include "backstitch/plugin.h"

typedef struct shared_state {
    uint64_t sum;
    bool is_sharing;
} shared_state;

static uint64_t generator;

static uint32_t next_random(void)
{
    generator = generator * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(generator >> 33);
}

static void shared_init(void *state, const bks_start *start)
{
    generator = start->seed;
    *(shared_state *)state = (shared_state){
        .sum = start->seed, .is_sharing = strcmp(bks_start_option(start, "share"), "no") != 0};
}

static void shared_step(void *state, const bks_step *step)
{
    shared_state *game = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        game->sum = game->sum * 31 + (uint32_t)step->inputs[i];
    }
    game->sum += game->is_sharing ? next_random() : 7;
}

static void shared_bot(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                       int32_t *values)
{
    (void)state;
    (void)player;
    (void)tick;
    (void)memory;
    values[0] = (int32_t)(next_random() % 2);
}

static const bks_field fields[] = {{.name = "fire", .bits = 1}};

static const bks_option options[] = {
    {.name = "share", .default_value = "yes", .help = "yes or no: one generator for both"}};

static const bks_game shared_game = {
    .name = "shared_random",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 1,
    .state_bytes = 4096,
    .init = shared_init,
    .step = shared_step,
    .bot = shared_bot,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &shared_game};
