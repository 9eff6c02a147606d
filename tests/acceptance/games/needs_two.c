// SPDX-License-Identifier: MIT

// A game that only two can play. It does not say so (bks_game.players_min), and ends the program in
// a match of one.

#include <stdlib.h>

#include "backstitch/plugin.h"

typedef struct needs_two_state {
    int32_t x[2];
} needs_two_state;

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(needs_two_state *)memory = (needs_two_state){0};
}

static void step(void *memory, const bks_step *step)
{
    needs_two_state *state = memory;
    if (step->players < 2) {
        abort();
    }
    for (uint32_t player = 0; player < 2; player++) {
        state->x[player] += step->inputs[player];
    }
    bks_mark(step, "move");
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};

static const bks_game game = {
    .name = "needs_two",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(needs_two_state),
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
