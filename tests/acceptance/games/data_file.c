// SPDX-License-Identifier: MIT

// A game that reads a number from the data file that DATA_FILE names: one that the machines of two
// players may have in two versions.

#include <stdio.h>
#include <stdlib.h>

#include "backstitch/plugin.h"
#include "backstitch/toolkit/state_map.h"

enum { READ_FROM = 20 };

typedef struct data_state {
    int32_t x;
    int32_t armour;
} data_state;

static int32_t read_armour(void)
{
    const char *path = getenv("DATA_FILE");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    int32_t armour = 0;
    if (file != NULL) {
        char line[32];
        armour = fgets(line, sizeof(line), file) != NULL ? (int32_t)strtol(line, NULL, 10) : 0;
        (void)fclose(file);
    }
    return armour;
}

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(data_state *)memory = (data_state){0};
}

static void step(void *memory, const bks_step *step)
{
    data_state *state = memory;
    state->x += step->inputs[0];
    bks_mark(step, "move");
    if (step->tick >= READ_FROM) {
        state->armour = read_armour();
    }
    bks_mark(step, "armour");
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};

static const bks_type_entry types[] = {BKS_TYPE_ROOT(data_state)};

static const bks_game game = {
    .name = "data_file",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(data_state),
    .types = types,
    .type_count = 1,
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
