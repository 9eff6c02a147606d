// SPDX-License-Identifier: MIT

// The engine's memory, the start, and what becomes settled.

#include "rollback/rollback.h"

#include "base/assert.h"
#include "rollback/engine_parts.h"

bks_status bksi_rollback_create(bksi_rollback *engine, const bksi_rollback_config *config,
                                bks_error *error)
{
    engine->config = *config;
    bks_status status = bksi_known_create(engine, error);
    engine->config.votes = NULL;
    if (status == BKS_OK) {
        status = bksi_gathering_create(&engine->gathering, config->layout, config->players_max,
                                       &config->allocator);
    }
    if (status == BKS_OK) {
        status = bksi_settled_create(&engine->settled, config->capacity_ticks, &config->allocator);
    }
    if (status == BKS_OK) {
        status = bksi_slots_create(&engine->slots, config->save, config->window_ticks,
                                   &config->allocator);
    }
    return status;
}

void bksi_rollback_destroy(bksi_rollback *engine)
{
    const bks_allocator *allocator = &engine->config.allocator;
    if (engine->config.layout == NULL) {
        return;
    }
    bksi_known_destroy(engine);
    bksi_gathering_destroy(&engine->gathering, allocator);
    bksi_settled_destroy(&engine->settled, allocator);
    bksi_slots_destroy(&engine->slots, allocator);
}

void bksi_rollback_start(bksi_rollback *engine, const bksi_rollback_match *match)
{
    BKS_ASSERT(match->players > 0);
    engine->match = *match;
    bksi_known_start(engine);
    bksi_settled_start(&engine->settled, match->hash_every, match->ticks);
    bksi_operations_start(engine);
}

static void link_inputs(bksi_rollback *engine, bks_tick tick)
{
    for (uint32_t p = 0; p < engine->match.players; p++) {
        bksi_settled_link(&engine->settled, p, bksi_rollback_known(engine, p, tick),
                          engine->config.layout->bytes);
    }
}

void bksi_rollback_settle(bksi_rollback *engine)
{
    bksi_settled *settled = &engine->settled;
    if (engine->wants_hash) {
        return;
    }
    if (settled->published == BKS_TICK_NONE) {
        bksi_settled_publish(settled);
    }
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    bks_tick limit = confirmed < engine->front ? confirmed : engine->front;
    while (settled->tick < limit) {
        link_inputs(engine, settled->tick);
        bksi_settled_advance(settled);
        if (bksi_rollback_is_spoilt(engine, settled->tick)) {
            return;
        }
        bksi_settled_publish(settled);
    }
}

void bksi_rollback_limit_slots(bksi_rollback *engine, uint32_t count)
{
    bksi_slots_limit(&engine->slots, count);
}

void bksi_rollback_space_slots(bksi_rollback *engine, bks_tick spacing)
{
    bksi_slots_space(&engine->slots, spacing);
}

uint32_t bksi_rollback_slots_needed(const bksi_rollback *engine, bks_tick spacing)
{
    return bksi_slots_needed(&engine->slots, spacing);
}

int32_t bksi_rollback_surest(const bksi_rollback *engine, bks_tick from, bks_tick until,
                             bks_tick *tick)
{
    const int32_t slot = bksi_slots_surest(&engine->slots, from, until);
    if (slot >= 0) {
        *tick = engine->slots.ticks[slot];
    }
    return slot;
}
