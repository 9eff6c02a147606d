// SPDX-License-Identifier: MIT

#include "lab/lab_history.h"

#include <string.h>

#include "base/memory.h"
#include "lab/lab_internal.h"

/// Number of slots besides those for two windows and for a fixed input delay. A peer settles a tick
/// at most two windows and an input delay after another peer has made its state; this number also
/// covers an automatic delay.
#define DEPTH_SPARE 48u

typedef struct history_slot {
    bks_tick tick; ///< tick of the state; BKS_TICK_NONE: the slot is empty
    size_t count;
    bool has_inputs;
} history_slot;

struct bksi_lab_history {
    bks_allocator allocator;
    uint32_t depth; ///< number of slots of each peer
    bool is_deep;   ///< true: there are slots for all states that can be needed
    uint32_t places;
    size_t state_bytes;
    size_t input_count;  ///< number of values in one tick's inputs of all players
    history_slot *slots; ///< slots, ordered by peer, then by tick modulo `depth`
    uint8_t *states;
    int32_t *inputs;
};

/// Return the number of states of each peer that naming a difference can need.
static uint64_t depth_wanted(const bks_lab_config *config)
{
    uint32_t window = 0;
    uint32_t delay = 0;
    for (uint32_t i = 0; i < config->peers; i++) {
        const bks_tuning own = bksi_lab_tuning_of(config, i);
        window = own.window_ticks > window ? own.window_ticks : window;
        delay = own.delay_ticks != BKS_AUTO && own.delay_ticks > delay ? own.delay_ticks : delay;
    }
    return 2 * (uint64_t)window + delay + DEPTH_SPARE;
}

static uint32_t depth_of(const bks_lab_config *config, size_t bytes_each)
{
    const uint64_t room = config->history_bytes / config->peers / bytes_each;
    const uint64_t wanted = depth_wanted(config);
    return (uint32_t)(room < wanted ? room : wanted);
}

bks_status bksi_lab_history_create(const bks_lab_config *config, size_t state_bytes,
                                   uint32_t players, bksi_lab_history **out)
{
    const bks_allocator *allocator = &config->allocator;
    const size_t input_count = (size_t)players * config->game->field_count;
    const uint32_t depth = depth_of(config, state_bytes + input_count * sizeof(int32_t));
    *out = NULL;
    if (depth < 2) {
        return BKS_OK;
    }
    bksi_lab_history *history = bksi_alloc(allocator, sizeof(*history), sizeof(uint64_t));
    if (history == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    *history = (bksi_lab_history){.allocator = *allocator,
                                  .depth = depth,
                                  .is_deep = depth == depth_wanted(config),
                                  .places = depth * config->peers,
                                  .state_bytes = state_bytes,
                                  .input_count = input_count};
    history->slots =
        bksi_alloc(allocator, history->places * sizeof(history_slot), sizeof(uint64_t));
    history->states = bksi_alloc(allocator, history->places * state_bytes, 16);
    history->inputs =
        bksi_alloc(allocator, history->places * input_count * sizeof(int32_t), sizeof(int32_t));
    if (history->slots == NULL || history->states == NULL || history->inputs == NULL) {
        bksi_lab_history_destroy(history);
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < history->places; i++) {
        history->slots[i].tick = BKS_TICK_NONE;
    }
    *out = history;
    return BKS_OK;
}

void bksi_lab_history_destroy(bksi_lab_history *history)
{
    if (history == NULL) {
        return;
    }
    const bks_allocator allocator = history->allocator;
    const size_t places = history->places;
    bksi_free(&allocator, history->slots, places * sizeof(history_slot));
    bksi_free(&allocator, history->states, places * history->state_bytes);
    bksi_free(&allocator, history->inputs, places * history->input_count * sizeof(int32_t));
    bksi_free(&allocator, history, sizeof(*history));
}

bool bksi_lab_history_outlasts_windows(const bksi_lab_history *history)
{
    return history->is_deep;
}

static size_t place_of(const bksi_lab_history *history, uint32_t peer, bks_tick tick)
{
    return (size_t)peer * history->depth + (uint32_t)tick % history->depth;
}

void bksi_lab_history_keep(bksi_lab_history *history, uint32_t peer, bks_tick tick,
                           bksi_runner *runner, const int32_t *inputs)
{
    const size_t place = place_of(history, peer, tick);
    history_slot *slots = &history->slots[place];
    slots->count = bksi_runner_export(runner, history->states + place * history->state_bytes,
                                      history->state_bytes);
    slots->tick = slots->count > 0 ? tick : BKS_TICK_NONE;
    slots->has_inputs = inputs != NULL;
    if (inputs != NULL) {
        memcpy(history->inputs + place * history->input_count, inputs,
               history->input_count * sizeof(int32_t));
    }
}

bool bksi_lab_history_find(const bksi_lab_history *history, uint32_t peer, bks_tick tick,
                           bksi_lab_past *out)
{
    const size_t place = place_of(history, peer, tick);
    const history_slot *slots = &history->slots[place];
    if (tick < 0 || slots->tick != tick) {
        return false;
    }
    *out = (bksi_lab_past){
        .bytes = history->states + place * history->state_bytes,
        .count = slots->count,
        .inputs = slots->has_inputs ? history->inputs + place * history->input_count : NULL};
    return true;
}
