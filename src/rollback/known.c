// SPDX-License-Identifier: MIT

// What is known of the players' inputs, and which ticks were stepped with something else.

#include "base/assert.h"
#include "base/mutant.h"
#include "rollback/engine_parts.h"

static bks_status create_prediction(bksi_rollback *engine, const bksi_rollback_config *config,
                                    bks_error *error)
{
    if (!config->layout->has_history) {
        return BKS_OK;
    }
    return bksi_prediction_create(&engine->prediction, config->layout, config->votes,
                                  config->votes_bytes, &config->allocator, error);
}

bks_status bksi_known_create(bksi_rollback *engine, bks_error *error)
{
    const bksi_rollback_config *config = &engine->config;
    engine->wrong = BKS_TICK_NONE;
    bks_status status = create_prediction(engine, config, error);
    for (uint32_t p = 0; status == BKS_OK && p < config->players_max; p++) {
        bksi_timeline *timeline = &engine->timelines[p];
        status = bksi_timeline_create(timeline, config->layout, config->capacity_ticks,
                                      &config->allocator);
        if (status == BKS_OK && engine->prediction.layout != NULL) {
            status = bksi_timeline_predict_by(timeline, &engine->prediction, &config->allocator);
        }
    }
    return status;
}

void bksi_known_destroy(bksi_rollback *engine)
{
    const bks_allocator *allocator = &engine->config.allocator;
    for (uint32_t p = 0; p < engine->config.players_max; p++) {
        bksi_timeline_destroy(&engine->timelines[p], allocator);
    }
    bksi_prediction_destroy(&engine->prediction, allocator);
}

static void find_confirmed(bksi_rollback *engine)
{
    bks_tick least = engine->timelines[0].head;
    for (uint32_t p = 1; p < engine->match.players; p++) {
        bks_tick head = engine->timelines[p].head;
        least = head < least ? head : least;
    }
    engine->confirmed = least;
}

void bksi_known_start(bksi_rollback *engine)
{
    find_confirmed(engine);
}

void bksi_rollback_doubt(bksi_rollback *engine, bks_tick tick)
{
    if (engine->wrong == BKS_TICK_NONE || tick < engine->wrong) {
        engine->wrong = tick;
    }
}

void bksi_known_use(bksi_rollback *engine, uint32_t player, bks_tick tick, const uint8_t *packed)
{
    bksi_timeline_use(&engine->timelines[player], tick, packed);
}

void bksi_rollback_append(bksi_rollback *engine, uint32_t player, const uint8_t *packed)
{
    bks_tick tick = engine->timelines[player].head;
    bks_tick wrong = bksi_timeline_append(&engine->timelines[player], packed);
    if (tick == engine->confirmed && bksi_rollback_has_started(engine)) {
        find_confirmed(engine);
    }
    if (wrong != BKS_TICK_NONE && !bksi_mutated(BKSI_MUTANT_FORGOT)) {
        bksi_rollback_doubt(engine, bksi_mutated(BKSI_MUTANT_AFTER) ? wrong + 1 : wrong);
    }
}

bks_tick bksi_rollback_confirmed(const bksi_rollback *engine)
{
    if (bksi_mutated(BKSI_MUTANT_GUESS) && engine->confirmed < engine->front) {
        return engine->confirmed + 1;
    }
    return engine->confirmed;
}

bool bksi_rollback_has_room(const bksi_rollback *engine, bks_tick tick)
{
    int64_t oldest = (int64_t)engine->front - 2 * (int64_t)engine->config.window_ticks - 2;
    return tick - oldest < (int64_t)engine->config.capacity_ticks;
}

void bksi_rollback_inputs(const bksi_rollback *engine, bks_tick tick, uint8_t *packed)
{
    for (uint32_t p = 0; p < engine->match.players; p++) {
        bksi_timeline_at(&engine->timelines[p], tick,
                         packed + (size_t)p * engine->config.layout->bytes);
    }
}

bks_tick bksi_known_take_wrong(bksi_rollback *engine)
{
    bks_tick wrong = engine->wrong;
    engine->wrong = BKS_TICK_NONE;
    return wrong;
}

#ifdef BKSI_WITH_MUTANTS

void bksi_known_lose(bksi_rollback *engine)
{
    engine->timelines[engine->match.first_local].head--;
}

#endif
