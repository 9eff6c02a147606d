// SPDX-License-Identifier: MIT

// A game that asks its machine for what decides a value, beside something that another change
// alters in the same way. The option says what it asks for:
//
//     variable  an environment variable, beside a float that is too large for an integer
//     wind      the same, added to an integer that was never written
//     seven     the same, if the variable is 7
//     early     a file that init looks for, added to the same integer
//     file      a file, which turns one bit
//     cycles    the processor's counter of cycles

#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backstitch/plugin.h"
#include "backstitch/toolkit/state_map.h"

enum { ASKS_AT = 30 };

typedef struct odd_state {
    int32_t tick;
    int32_t x[2];
    int32_t boost;
    int32_t wind;
    int32_t lives;
    char kind[BKS_OPTION_VALUE_BYTES];
} odd_state;

static int32_t found_early;

static void odd_init(void *state, const bks_start *start)
{
    odd_state *odd = state;
    strncpy(odd->kind, bks_start_option(start, "kind"), sizeof(odd->kind) - 1);
    if (strcmp(odd->kind, "early") == 0) {
        found_early = access("odd_source", F_OK) == 0 ? 5 : 0;
    }
}

static __attribute__((noinline)) int32_t unset(int32_t storm)
{
    volatile int32_t words[900];
    if (storm > 100) {
        words[20] = 3;
    }
    return words[20];
}

static void odd_step(void *state, const bks_step *step)
{
    odd_state *odd = state;
    odd->tick++;
    for (uint32_t i = 0; i < step->players; i++) {
        odd->x[i] += step->inputs[i];
    }
    bks_mark(step, "move");
    const char *told = strcmp(odd->kind, "early") != 0 ? getenv("ODD_SOURCE") : NULL;
    if (strcmp(odd->kind, "variable") == 0 && odd->tick >= ASKS_AT) {
        const volatile float reach = (float)odd->tick * 1e30f;
        const bool is_far = (int32_t)reach > 0;
        odd->boost = is_far || told != NULL;
    }
    if (strcmp(odd->kind, "wind") == 0 && odd->tick == ASKS_AT) {
        odd->wind = unset(odd->x[0]) + (told != NULL ? atoi(told) : 0);
    }
    if (strcmp(odd->kind, "seven") == 0 && odd->tick == ASKS_AT) {
        odd->wind = unset(odd->x[0]) + (told != NULL && strcmp(told, "7") == 0 ? 7 : 0);
    }
    if (strcmp(odd->kind, "early") == 0 && odd->tick == ASKS_AT) {
        odd->wind = unset(odd->x[0]) + found_early;
    }
    if (strcmp(odd->kind, "file") == 0 && odd->tick == ASKS_AT && access("odd_source", F_OK) == 0) {
        odd->lives |= 4;
    }
#if defined(__x86_64__)
    if (strcmp(odd->kind, "cycles") == 0 && odd->tick == ASKS_AT) {
        odd->boost = (int32_t)(__builtin_ia32_rdtsc() >> 63);
    }
#endif
    bks_mark(step, "ask");
}

static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}};
static const bks_type_entry types[] = {BKS_TYPE_ROOT(odd_state)};
static const bks_option options[] = {
    {"kind", "variable", "variable, wind, seven, early, file or cycles"}};

static const bks_game game = {
    .name = "odd_sources",
    .tick_rate_hz = 60,
    .players_max = 2,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 1,
    .state_bytes = sizeof(odd_state),
    .types = types,
    .type_count = 1,
    .init = odd_init,
    .step = odd_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
