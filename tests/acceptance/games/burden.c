// SPDX-License-Identifier: MIT

// A game whose step is some work on its state and nothing else, a microsecond or two of it.
// BURDEN_IDLE more of that, in hundredths, goes nowhere: a build that is slower and plays the same.

#include <string.h>

#include "backstitch/plugin.h"

#ifndef BURDEN_IDLE
#define BURDEN_IDLE 0
#endif

#define WORDS  16
#define ROUNDS 100

typedef struct burden_state {
    uint64_t words[WORDS];
} burden_state;

static volatile uint64_t nowhere;

static void burden_init(void *state, const bks_start *start)
{
    burden_state *burden = state;
    for (uint64_t i = 0; i < WORDS; i++) {
        burden->words[i] = start->seed + i;
    }
}

static void work(uint64_t words[WORDS], uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds * WORDS; i++) {
        const uint64_t other = words[(i + 5) % WORDS];
        words[i % WORDS] = (words[i % WORDS] ^ other >> 7) * UINT64_C(0x9E3779B97F4A7C15);
    }
}

static void burden_step(void *state, const bks_step *step)
{
    burden_state *burden = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        burden->words[i] += (uint64_t)step->inputs[i];
    }
    work(burden->words, ROUNDS);
    uint64_t idle[WORDS];
    memcpy(idle, burden->words, sizeof(idle));
    work(idle, BURDEN_IDLE);
    nowhere = idle[0];
}

static const bks_field fields[] = {{.name = "push", .bits = 4}};

static const bks_game burden_game = {
    .name = "burden",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .state_bytes = 4096,
    .init = burden_init,
    .step = burden_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &burden_game};
