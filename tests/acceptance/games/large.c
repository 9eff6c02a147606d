// SPDX-License-Identifier: MIT

// A region of LARGE_BYTES, 16 MiB by default, of which a step writes a few bytes.

#include "backstitch/plugin.h"

#ifndef LARGE_BYTES
#define LARGE_BYTES (16u << 20)
#endif

typedef struct large_cell {
    uint32_t height;
    uint32_t owner;
} large_cell;

enum { CELLS = LARGE_BYTES / sizeof(large_cell) - 1 };

typedef struct large_state {
    uint32_t ticks;
    int32_t x;
    large_cell cells[CELLS];
} large_state;

static void large_init(void *state, const bks_start *start)
{
    large_state *large = state;
    (void)start;
    large->ticks = 0;
    large->x = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        large->cells[i] = (large_cell){.height = i * 2654435761u, .owner = i % 7};
    }
}

static void large_step(void *state, const bks_step *step)
{
    large_state *large = state;
    large->ticks++;
    for (uint32_t player = 0; player < step->players; player++) {
        large->x += step->inputs[player];
    }
    bks_mark(step, "move");
}

static const bks_field fields[] = {{.name = "move", .bits = 3, .is_signed = true}};

static const bks_type_entry types[] = {BKS_TYPE_ROOT(large_state)};

static const bks_game game = {
    .name = "large",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(large_state),
    .types = types,
    .type_count = 1,
    .init = large_init,
    .step = large_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
