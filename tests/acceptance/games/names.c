// SPDX-License-Identifier: MIT

// A game whose names and notes are markup. NAMES_OTHER makes it come to something else from tick 20
// on.

#include <stddef.h>
#include <stdlib.h>

#include "backstitch/plugin.h"

#define MARKUP "<script>hit=1</script>\"><img src=x onerror=hit=1>&lt;'"

typedef struct names_state {
    int32_t x;
    int32_t y;
} names_state;

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(names_state *)memory = (names_state){0};
}

static void step(void *memory, const bks_step *step)
{
    names_state *state = memory;
    const int other = getenv("NAMES_OTHER") != NULL && step->tick >= 20;
    state->x += step->inputs[0];
    bks_mark(step, MARKUP);
    bks_note(step, "%d " MARKUP, other);
    state->y += other;
    bks_mark(step, MARKUP "2");
}

static const bks_field fields[] = {{.name = "move", .bits = 2, .is_signed = true}};

static const bks_state_range ranges[] = {
    {.name = MARKUP "x",
     .offset_bytes = offsetof(names_state, x),
     .count = 1,
     .type = BKS_STATE_I32},
    {.name = MARKUP "y",
     .offset_bytes = offsetof(names_state, y),
     .count = 1,
     .type = BKS_STATE_I32},
};

static const bks_option options[] = {
    {.name = "speed", .default_value = "<script>hit=1</script>", .help = MARKUP}};

static const bks_game game = {
    .name = "<script>hit=1</script>",
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 1,
    .state_bytes = sizeof(names_state),
    .ranges = ranges,
    .range_count = 2,
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
