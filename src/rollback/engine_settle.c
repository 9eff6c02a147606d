// SPDX-License-Identifier: MIT

// Inputs of ticks as the engine knows them, settling of ticks, and the tick that is held back until
// the peers agree on its state.

#include "rollback/engine.h"

void bksi_rollback_inputs(const bksi_rollback *engine, bks_tick tick, uint8_t *packed)
{
    for (uint32_t p = 0; p < engine->match.players; p++) {
        bksi_known_at(&engine->known, p, tick, packed + (size_t)p * engine->config.layout->bytes);
    }
}

// ---- settled ticks ----

/// Number that is added to a player's number when its blob is linked into the chain. Without it the
/// chain could not tell a blob from fields with the same bytes.
#define BLOB_OF 256u

static void link_blob(bksi_rollback *engine, uint32_t player, bks_tick tick)
{
    const bksi_blob blob = bksi_command_log_blob(&engine->known.commands, player, tick);
    if (blob.count > 0) {
        bksi_settled_link(&engine->settled, BLOB_OF + player, blob.bytes, blob.count);
    }
}

static void link_inputs(bksi_rollback *engine, bks_tick tick)
{
    for (uint32_t p = 0; p < engine->match.players; p++) {
        bksi_settled_link(&engine->settled, p, bksi_rollback_known(engine, p, tick),
                          engine->config.layout->bytes);
        if (bksi_command_log_is_on(&engine->known.commands)) {
            link_blob(engine, p, tick);
        }
    }
}

void bksi_rollback_settle(bksi_rollback *engine)
{
    bksi_settled *settled = &engine->settled;
    if (engine->progress.wants_hash || bksi_settled_is_waiting(settled)) {
        return;
    }
    if (settled->published == BKS_TICK_NONE) {
        bksi_settled_publish(settled);
    }
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    bks_tick limit = confirmed < engine->progress.front ? confirmed : engine->progress.front;
    while (settled->tick < limit) {
        link_inputs(engine, settled->tick);
        bksi_settled_advance(settled);
        if (bksi_rollback_is_spoilt(engine, settled->tick)) {
            return;
        }
        bksi_settled_publish(settled);
        if (bksi_settled_is_waiting(settled)) {
            return;
        }
    }
}

// ---- a state on which the peers meet ----

void bksi_rollback_hold(bksi_rollback *engine, bks_tick tick)
{
    bksi_settled_hold(&engine->settled, tick);
    bksi_kept_states_meet_in(&engine->kept, tick);
}

void bksi_rollback_let_go(bksi_rollback *engine, bool is_agreed)
{
    bksi_settled_let_go(&engine->settled, is_agreed);
    bksi_rollback_settle(engine);
}

bool bksi_rollback_can_restore(const bksi_rollback *engine)
{
    const bks_tick from = engine->settled.held;
    bool can = bksi_rollback_find_kept(engine, from) != BKS_KEEP_NONE;
    for (uint32_t p = 0; can && p < engine->match.players; p++) {
        can =
            from >= bksi_rollback_head(engine, p) || bksi_known_holds_all(&engine->known, p, from);
    }
    return can;
}

void bksi_rollback_restore(bksi_rollback *engine, uint64_t hash)
{
    engine->restored = (bks_look){.hash = hash};
    bksi_progress_want_restored(&engine->progress, engine->settled.held);
}

void bksi_rollback_forget_restore(bksi_rollback *engine)
{
    bksi_progress_want_restored(&engine->progress, BKS_TICK_NONE);
}
