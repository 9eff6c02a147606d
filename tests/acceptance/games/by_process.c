// SPDX-License-Identifier: MIT

// A game that comes to one of two results, by the number of processes that have loaded it before.
// The process number stands for everything that varies from run to run, and that no variant of `bks
// check` sets. The file that LAUNCHES names counts the processes; each LAUNCH_PERIOD-th has luck.
// With LAUNCH_TOSSES, a text of 0 and 1, each has what the text says and then every second one, but
// none where the clocks are stopped: a coin that is tossed by the clock.

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backstitch/plugin.h"
#include "backstitch/toolkit/state_map.h"

enum { VARIES_FROM = 20, YEARS_UP_S = 1000000000 };

typedef struct by_process_state {
    int32_t x;
    int32_t luck;
} by_process_state;

static int32_t toss(size_t launches, const char *tosses)
{
    struct timespec up;
    (void)clock_gettime(CLOCK_MONOTONIC, &up);
    const bool is_lucky = launches <= strlen(tosses) ? tosses[launches - 1] == '1' : launches % 2;
    return is_lucky && up.tv_sec < YEARS_UP_S;
}

static int32_t draw_luck(void)
{
    const char *tosses = getenv("LAUNCH_TOSSES");
    const char *path = getenv("LAUNCHES");
    const char *period = getenv("LAUNCH_PERIOD");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file == NULL || period == NULL) {
        return 0;
    }
    (void)fputc('.', file);
    (void)fflush(file);
    const long launches = ftell(file);
    (void)fclose(file);
    return tosses != NULL ? toss((size_t)launches, tosses) : launches % atol(period) == 0;
}

static void init(void *memory, const bks_start *start)
{
    (void)start;
    *(by_process_state *)memory = (by_process_state){0};
}

static void step(void *memory, const bks_step *step)
{
    by_process_state *state = memory;
    state->x += step->inputs[0];
    bks_mark(step, "move");
    if (step->tick >= VARIES_FROM) {
        static int32_t luck = -1; // of this process
        luck = luck < 0 ? draw_luck() : luck;
        state->luck = luck;
    }
    bks_mark(step, "luck");
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};

static const bks_type_entry types[] = {BKS_TYPE_ROOT(by_process_state)};

static const bks_game game = {
    .name = "by_process",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(by_process_state),
    .types = types,
    .type_count = 1,
    .init = init,
    .step = step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
