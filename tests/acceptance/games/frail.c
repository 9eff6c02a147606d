// SPDX-License-Identifier: MIT

// A game that cannot always continue: with the option fails=load its 20th load in this process
// fails, with fails=step each step from tick 100 on runs out of memory. With FRAIL_CREATES=N or
// FRAIL_LOADS=N in the environment only the first N creates or loads of the process are done.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"

#define LOADS_MAX 19

typedef struct frail_state {
    uint64_t sum;
    uint32_t fails_step;
    uint32_t fails_load;
} frail_state;

static uint32_t loads;
static uint32_t creates;

static bool is_left(const char *name, uint32_t done)
{
    const char *most = getenv(name);
    return most == NULL || done < (uint32_t)atoi(most);
}

static void *frail_create(const bks_start *start)
{
    (void)start;
    return is_left("FRAIL_CREATES", creates++) ? calloc(1, sizeof(frail_state)) : NULL;
}

static void frail_destroy(void *state)
{
    free(state);
}

static void frail_init(void *state, const bks_start *start)
{
    const char *fails = bks_start_option(start, "fails");
    *(frail_state *)state = (frail_state){.sum = start->seed,
                                          .fails_step = strcmp(fails, "step") == 0,
                                          .fails_load = strcmp(fails, "load") == 0};
}

static void frail_step(void *state, const bks_step *step)
{
    frail_state *frail = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        frail->sum = frail->sum * 31 + (uint32_t)step->inputs[i];
    }
    if (frail->fails_step != 0 && step->tick >= 100) {
        bks_fail(step, "the script ran out of memory");
    }
}

static void frail_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, &((const frail_state *)state)->sum, sizeof(uint64_t));
}

static size_t frail_save(const void *state, void *bytes, size_t capacity_bytes)
{
    memcpy(bytes, state, sizeof(frail_state));
    return capacity_bytes >= sizeof(frail_state) ? sizeof(frail_state) : 0;
}

static bool frail_load(void *state, const void *bytes, size_t count_bytes)
{
    memcpy(state, bytes, count_bytes);
    const bool is_in_reach = is_left("FRAIL_LOADS", loads);
    return ++loads != LOADS_MAX + 1 ? is_in_reach : ((frail_state *)state)->fails_load == 0;
}

static const bks_field fields[] = {{.name = "fire", .bits = 4}};

static const bks_option options[] = {
    {.name = "fails", .default_value = "no", .help = "load, step or no"},
};

static const bks_game frail_game = {
    .name = "frail",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 1,
    .init = frail_init,
    .step = frail_step,
    .hash = frail_hash,
    .create = frail_create,
    .destroy = frail_destroy,
    .save_bytes_max = sizeof(frail_state),
    .save = frail_save,
    .load = frail_load,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &frail_game};
