// SPDX-License-Identifier: MIT

// A game whose step depends on the thing that the option `what` names. Things outside its state are
// `rand` of the C library, a static counter, the same counter reset by `init`, the wall clock in
// seconds, the seconds since the first step, fresh heap memory, and an address. Others are the tick
// rate, and nothing. With `crash`, a step crashes if all bytes of fresh memory have one value that
// is neither 0 nor BASELINE_BYTE.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backstitch/plugin.h"

enum { MEMORY_BYTES = 256, BASELINE_BYTE = 0x5A };

typedef struct hidden_state {
    uint64_t sum;
    char what[16];
} hidden_state;

static uint64_t counter;

static void hidden_init(void *state, const bks_start *start)
{
    hidden_state *game = state;
    const char *what = bks_start_option(start, "what");
    game->sum = start->seed;
    for (size_t i = 0; what[i] != '\0' && i + 1 < sizeof(game->what); i++) {
        game->what[i] = what[i];
    }
    if (strcmp(game->what, "anew") == 0) {
        counter = 0;
    }
}

static uint64_t read_memory(void)
{
    uint64_t sum = 0;
    uint8_t *volatile memory = malloc(MEMORY_BYTES); // whose bytes a compiler must not know
    const volatile uint8_t *bytes = memory;
    for (int i = 0; memory != NULL && i < MEMORY_BYTES; i++) {
        sum = sum * 31 + bytes[i];
    }
    free(memory);
    return sum;
}

static void crash_if_filled(void)
{
    uint8_t *volatile memory = malloc(MEMORY_BYTES);
    const volatile uint8_t *bytes = memory;
    int alike = 0;
    while (memory != NULL && alike < MEMORY_BYTES && bytes[alike] == bytes[0]) {
        alike++;
    }
    if (alike == MEMORY_BYTES && bytes[0] != 0 && bytes[0] != BASELINE_BYTE) {
        abort();
    }
    free(memory);
}

static uint64_t ask(const char *what)
{
    static time_t begun;
    if (strcmp(what, "rand") == 0) {
        return (uint64_t)rand();
    }
    if (strcmp(what, "counter") == 0 || strcmp(what, "anew") == 0) {
        return ++counter % 2;
    }
    if (strcmp(what, "time") == 0) {
        return (uint64_t)time(NULL);
    }
    if (strcmp(what, "passed") == 0) {
        begun = begun == 0 ? time(NULL) : begun;
        return (uint64_t)(time(NULL) - begun);
    }
    if (strcmp(what, "address") == 0) {
        return (uint64_t)(uintptr_t)&counter;
    }
    if (strcmp(what, "crash") == 0) {
        crash_if_filled();
    }
    return strcmp(what, "memory") == 0 ? read_memory() : 0;
}

static void hidden_step(void *state, const bks_step *step)
{
    hidden_state *game = state;
    game->sum = game->sum * 6364136223846793005u + (uint32_t)step->inputs[0];
    game->sum += strcmp(game->what, "rate") == 0 ? step->tick_rate_hz : ask(game->what);
}

static const bks_field fields[] = {{.name = "x", .bits = 8}};

static const bks_option options[] = {
    {.name = "what",
     .default_value = "nothing",
     .help = "nothing, rate, rand, counter, anew, time, passed, memory, crash "
             "or address"}};

static const bks_game hidden_game = {
    .name = "hidden",
    .tick_rate_hz = 60,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 1,
    .state_bytes = 64,
    .init = hidden_init,
    .step = hidden_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &hidden_game};
