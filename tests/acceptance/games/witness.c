// SPDX-License-Identifier: MIT

// A game that writes into a file which tick it has begun to step. So a test knows how far a killed
// process came.

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backstitch/plugin.h"

typedef struct witness_state {
    uint64_t sum;
} witness_state;

static int64_t *newest;

static void witness_init(void *state, const bks_start *start)
{
    ((witness_state *)state)->sum = start->seed;
    const char *path = getenv("BKS_WITNESS");
    const int file = path != NULL && newest == NULL ? open(path, O_RDWR) : -1;
    if (file < 0) {
        return;
    }
    void *memory = mmap(NULL, sizeof(*newest), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    newest = memory != MAP_FAILED ? memory : NULL;
    close(file);
}

static void witness_step(void *state, const bks_step *step)
{
    witness_state *witness = state;
    if (newest != NULL && step->tick > *newest) {
        *newest = step->tick;
    }
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        witness->sum = witness->sum * 6364136223846793005u + (uint32_t)step->inputs[i];
    }
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true},
                                   {.name = "y", .bits = 8, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

static const bks_game witness_game = {
    .name = "witness",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 3,
    .state_bytes = 4096,
    .init = witness_init,
    .step = witness_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &witness_game};
