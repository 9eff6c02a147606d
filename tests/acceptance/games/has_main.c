// SPDX-License-Identifier: MIT

// A game that is a program, too: its steps sort, its main() reads a file and the environment.

#include <stdio.h>
#include <stdlib.h>

#include "backstitch/plugin.h"

typedef struct has_main_state {
    int32_t values[4];
} has_main_state;

static int compare(const void *a, const void *b)
{
    const int32_t *one = a;
    const int32_t *other = b;
    return (*one > *other) - (*one < *other);
}

static void has_main_init(void *state, const bks_start *start)
{
    (void)start;
    *(has_main_state *)state = (has_main_state){0};
}

static void has_main_step(void *memory, const bks_step *step)
{
    has_main_state *state = memory;
    state->values[step->tick % 4] += step->inputs[0];
    if (step->tick % 10 == 9) {
        qsort(state->values, 4, sizeof(state->values[0]), compare);
    }
}

BKS_API int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : getenv("LEVEL");
    FILE *file = name != NULL ? fopen(name, "r") : NULL;
    return file == NULL || fclose(file) != 0;
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true}};

static const bks_game has_main_game = {
    .name = "has_main",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(has_main_state),
    .init = has_main_init,
    .step = has_main_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI,
                                                      .game = &has_main_game};
