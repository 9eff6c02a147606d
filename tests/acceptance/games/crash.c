// SPDX-License-Identifier: MIT

// A game whose step crashes in a tick given by an option, after it has printed its tick on stderr.
// The state depends on all inputs, so the same words mean the same inputs.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backstitch/plugin.h"

typedef struct crash_state {
    uint64_t sum;
    bks_tick tick;
} crash_state;

static void crash_init(void *state, const bks_start *start)
{
    *(crash_state *)state =
        (crash_state){.sum = start->seed, .tick = atoi(bks_start_option(start, "tick"))};
}

static void crash_step(void *state, const bks_step *step)
{
    crash_state *crash = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        crash->sum = crash->sum * 6364136223846793005u + (uint32_t)step->inputs[i];
    }
    if (step->tick == crash->tick) {
        fprintf(stderr, "crash in tick %d, state %016" PRIx64 "\n", step->tick, crash->sum);
        abort();
    }
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

static const bks_option options[] = {
    {.name = "tick", .default_value = "100", .help = "the tick whose step crashes"}};

static const bks_game crash_game = {
    .name = "crash",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 2,
    .options = options,
    .option_count = 1,
    .state_bytes = 4096,
    .init = crash_init,
    .step = crash_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &crash_game};
