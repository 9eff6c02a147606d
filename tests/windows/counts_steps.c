// SPDX-License-Identifier: MIT
//
// A game that writes down, outside of its state and at once, how many ticks it has begun to step:
// what a recorder that is killed must have kept. The file is that of the environment's variable
// STEPS_BEGUN.

#include <stdlib.h>
#include <windows.h>

#include "backstitch/plugin.h"

typedef struct steps_state {
    int32_t sum[2];
} steps_state;

static HANDLE open_file(void)
{
    const char *path = getenv("STEPS_BEGUN");
    return path != NULL ? CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS,
                                      FILE_ATTRIBUTE_NORMAL, NULL)
                        : INVALID_HANDLE_VALUE;
}

static void steps_init(void *state, const bks_start *start)
{
    (void)state, (void)start;
}

static void steps_step(void *state, const bks_step *step)
{
    static HANDLE file;
    OVERLAPPED begin = {0};
    DWORD written = 0;
    const int32_t begun = step->tick + 1;
    steps_state *steps = state;
    file = file == NULL ? open_file() : file;
    if (file != INVALID_HANDLE_VALUE) {
        (void)WriteFile(file, &begun, sizeof(begun), &written, &begin);
    }
    for (uint32_t player = 0; player < step->players; player++) {
        steps->sum[player] = 31 * (steps->sum[player] % 100000) + step->inputs[player];
    }
}

static const bks_field fields[] = {{.name = "move", .bits = 3, .is_signed = true}};
static const bks_game game = {.name = "counts_steps",
                              .tick_rate_hz = 60,
                              .players_max = 2,
                              .fields = fields,
                              .field_count = 1,
                              .state_bytes = sizeof(steps_state),
                              .init = steps_init,
                              .step = steps_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
