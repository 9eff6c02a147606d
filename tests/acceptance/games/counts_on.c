// SPDX-License-Identifier: MIT

// A game that counts its ticks after the last mark of a step, as many games do. From tick LUCK_FROM
// on, `luck` is the number of all steps, also repeated ones, from a static variable outside the
// state.

#include "backstitch/plugin.h"
#include "backstitch/toolkit/state_map.h"

enum { LUCK_FROM = 90 };

typedef struct counts_unit {
    int32_t x;
    int32_t luck;
    int32_t ticks;
} counts_unit;

typedef struct counts_state {
    counts_unit unit;
} counts_state;

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(counts_state *)memory = (counts_state){0};
}

static void step(void *memory, const bks_step *step)
{
    static int32_t steps;
    counts_unit *unit = &((counts_state *)memory)->unit;
    steps++;
    unit->x += step->inputs[0];
    bks_mark(step, "move");
    if (step->tick >= LUCK_FROM) {
        unit->luck = steps;
    }
    bks_mark(step, "luck");
    unit->ticks++;
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};

static const bks_type_entry types[] = {BKS_TYPE_ROOT(counts_state)};

static const bks_game game = {
    .name = "counts_on",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(counts_state),
    .types = types,
    .type_count = 1,
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
