// SPDX-License-Identifier: MIT

// Notes what each step saw of the world, which is not the same on every machine: an obstacle that
// NOTING_OBSTACLE puts at a tick. The way goes around it, NOTING_LATE ticks later; without
// NOTING_LATE never.

#include <stddef.h>
#include <stdlib.h>

#include "backstitch/plugin.h"

typedef struct noting_state {
    int32_t x;
    int32_t way;
} noting_state;

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(noting_state *)memory = (noting_state){0};
}

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : -1;
}

static void step(void *memory, const bks_step *step)
{
    noting_state *state = memory;
    const long at = number_of("NOTING_OBSTACLE");
    const long late = number_of("NOTING_LATE");
    state->x += step->inputs[0];
    bks_mark(step, "move");
    bks_note(step, "obstacle %d", at == step->tick);
    if (at >= 0 && late >= 0 && at + late == step->tick) {
        state->way++;
    }
    bks_mark(step, "plan");
    bks_note(step, "way %d", (int)state->way);
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};

static const bks_state_range ranges[] = {
    {.name = "x", .offset_bytes = offsetof(noting_state, x), .count = 1, .type = BKS_STATE_I32},
    {.name = "way", .offset_bytes = offsetof(noting_state, way), .count = 1, .type = BKS_STATE_I32},
};

static const bks_game game = {
    .name = "noting",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(noting_state),
    .ranges = ranges,
    .range_count = 2,
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
