// SPDX-License-Identifier: MIT

// One update as a sequence of operations, handed out one at a time:
//
//   RESTORE                              if a kept state was repaired: restore it
//   LOAD                                 if a guess was wrong: load the nearest earlier snapshot
//   [PREDICT] STEP HASH [SAVE] …         resimulate up to the present, in the same update
//   LOAD                                 if a state is the same as before the rollback: end the
//                                        resimulation, and load the newest snapshot
//   SAMPLE … [PREDICT] STEP HASH [SAVE]  step each due tick
//
// The state is always at the start of tick `at`; `front` is the present. Between two operations the
// engine remembers only `at`, `front`, the wrong tick, the due ticks and the gathered inputs.

#include "rollback/engine.h"

#include <string.h>

#include "base/mutant.h"
#include "base/report.h"

bks_status bksi_rollback_create(bksi_rollback *engine, const bksi_rollback_config *config,
                                bks_error *error)
{
    engine->config = *config;
    engine->window_ticks = config->window_ticks;
    const bks_status status = bksi_known_create(&engine->known, config, error);
    engine->config.votes = NULL;
    BKSI_TRY(status);
    BKSI_TRY(bksi_gathering_create(&engine->gathering, config->layout, config->players_max,
                                   &config->commands, &config->allocator));
    BKSI_TRY(bksi_settled_create(&engine->settled, config->capacity_ticks, &config->allocator));
    BKSI_TRY(
        bksi_slots_create(&engine->slots, config->save, config->window_ticks, &config->allocator));
    return bksi_kept_states_create(&engine->kept, config->keep_ticks, &config->allocator);
}

void bksi_rollback_destroy(bksi_rollback *engine)
{
    const bks_allocator *allocator = &engine->config.allocator;
    if (engine->config.layout == NULL) {
        return;
    }
    bksi_known_destroy(&engine->known, allocator);
    bksi_gathering_destroy(&engine->gathering, allocator);
    bksi_settled_destroy(&engine->settled, allocator);
    bksi_slots_destroy(&engine->slots, allocator);
    bksi_kept_states_destroy(&engine->kept, allocator);
}

void bksi_rollback_begin(bksi_rollback *engine, bks_tick first)
{
    engine->first = first;
    bksi_known_begin(&engine->known, first);
    bksi_progress_begin(&engine->progress, first);
}

void bksi_rollback_start(bksi_rollback *engine, const bksi_rollback_match *match)
{
    BKS_ASSERT(match->players > 0);
    engine->match = *match;
    bksi_known_start(&engine->known, match->players);
    bksi_settled_start(&engine->settled, match->hash_every, engine->first, match->end);
    bksi_kept_states_start(&engine->kept, (bks_tick)match->hash_every, match->has_others);
    bksi_progress_start(&engine->progress);
}

// ---- inputs ----

bks_tick bksi_rollback_confirmed(const bksi_rollback *engine)
{
    const bks_tick confirmed = engine->known.confirmed;
    return confirmed +
           (bksi_mutated(BKSI_MUTANT_GUESS) && confirmed < engine->progress.front ? 1 : 0);
}

// ---- an update begins ----

/// Return true if this update begins by loading the only snapshot and stepping again from it. Under
/// the save policy `one` every update does so that steps a new tick [INVERSUS, in hindsight].
static bool one_restores(const bksi_rollback *engine)
{
    const bksi_slots *slots = &engine->slots;
    return slots->policy == BKS_SAVE_ONE && slots->count > 0 && engine->schedule.due_ticks > 0 &&
           slots->ticks[0] != BKS_TICK_NONE && slots->ticks[0] < engine->progress.at;
}

static void aim_one(bksi_rollback *engine)
{
    const bks_tick front = engine->progress.front;
    bks_tick target = front - (bks_tick)engine->config.window_ticks;
    target += (bks_tick)(engine->schedule.due_ticks + engine->schedule.newer_ticks);
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    if (target > confirmed && !bksi_mutated(BKSI_MUTANT_TARGET)) {
        target = confirmed;
    }
    bksi_slots_aim(&engine->slots, target < front ? target : front);
    bksi_progress_load(&engine->progress, engine->progress.at);
}

void bksi_rollback_schedule(bksi_rollback *engine, const bksi_schedule *schedule)
{
    if (bksi_mutated(BKSI_MUTANT_DELAY) && schedule->delay_ticks < engine->schedule.delay_ticks) {
        bksi_known_lose(&engine->known, engine->match.first_local);
    }
    engine->schedule = *schedule;
    engine->is_starved = false;
    bks_tick wrong = bksi_known_take_wrong(&engine->known);
    if (wrong != BKS_TICK_NONE) {
        bksi_progress_go_back(&engine->progress, wrong);
    }
    bksi_slots_aim(&engine->slots, BKS_TICK_NONE);
    if (one_restores(engine)) {
        aim_one(engine);
    }
    bksi_gathering_begin(&engine->gathering);
}

bool bksi_rollback_is_blocked(const bksi_rollback *engine)
{
    bks_tick window = (bks_tick)engine->window_ticks;
    if (bksi_mutated(BKSI_MUTANT_WINDOW)) {
        window++;
    }
    return engine->progress.front - bksi_rollback_confirmed(engine) >= window ||
           bksi_rollback_is_held_up(engine);
}

bool bksi_rollback_advances(const bksi_rollback *engine)
{
    return engine->schedule.due_ticks > 0 && !engine->schedule.samples_only &&
           !bksi_rollback_is_blocked(engine) &&
           !bksi_rollback_is_spoilt(engine, engine->progress.front);
}

static void stepped(bksi_rollback *engine)
{
    if (bksi_progress_stepped(&engine->progress, &engine->slots, &engine->settled)) {
        engine->schedule.due_ticks--;
    }
}

// ---- the next operation ----

static bool hand_out(bks_op *op, bks_op_kind kind, bks_tick tick)
{
    *op = (bks_op){.kind = kind, .tick = tick};
    return true;
}

/// Hand out HASH, which also keeps a copy of the state. Do not replace a kept state on which the
/// peers meet, because a repair may have changed it.
static bool next_hash(bksi_rollback *engine, bks_op *op)
{
    const bks_tick at = engine->progress.at;
    (void)hand_out(op, BKS_OP_HASH, at);
    const bool is_met_in = at == engine->settled.held && bksi_settled_is_waiting(&engine->settled);
    op->keep = is_met_in ? BKS_KEEP_NONE : bksi_kept_states_place(&engine->kept, at);
    return true;
}

static bool next_load(const bksi_rollback *engine, bks_op *op)
{
    const bksi_slots *slots = &engine->slots;
    uint32_t slot =
        slots->policy == BKS_SAVE_ONE ? 0 : bksi_slots_nearest(slots, engine->progress.load_until);
    uint32_t other = (slot + 1) % slots->count;
    if (bksi_mutated(BKSI_MUTANT_SLOT) && slots->ticks[other] >= 0) {
        slot = other;
    }
    (void)hand_out(op, BKS_OP_LOAD, slots->ticks[slot]);
    op->slot = slot;
    return true;
}

static bool next_restore(bksi_rollback *engine, bks_op *op)
{
    (void)hand_out(op, BKS_OP_RESTORE, engine->progress.restore);
    op->keep = bksi_rollback_find_kept(engine, engine->progress.restore);
    op->look = &engine->restored;
    return true;
}

static bool next_save(bksi_rollback *engine, bks_op *op)
{
    const bksi_progress *progress = &engine->progress;
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    bks_tick certain = confirmed < progress->front ? confirmed : progress->front;
    int32_t slot =
        bksi_slots_place(&engine->slots, progress->at, certain, progress->is_resimulating);
    if (slot < 0) {
        bksi_progress_saved(&engine->progress);
        return false;
    }
    (void)hand_out(op, BKS_OP_SAVE, progress->at);
    op->slot = (uint32_t)slot;
    return true;
}

/// Hand out PREDICT to ask the game for a player's input. The game gets the guess of the fields'
/// predictors.
static bool next_predict(bksi_rollback *engine, uint32_t player, bks_op *op)
{
    const bksi_layout *layout = engine->config.layout;
    const bks_tick head = bksi_known_head(&engine->known, player);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t *guess = engine->gathering.guess;
    int32_t *last = guess + layout->field_count;
    bksi_known_at(&engine->known, player, engine->progress.at, packed);
    bksi_layout_unpack(layout, packed, guess);
    bksi_layout_unpack(layout, bksi_known_input(&engine->known, player, head - 1), last);
    (void)hand_out(op, BKS_OP_PREDICT, engine->progress.at);
    op->player = player;
    op->last_tick = head > engine->first ? head - 1 : BKS_TICK_NONE;
    op->inputs = last;
    op->guess = guess;
    return true;
}

/// Gather every player's input of a tick, and note them as the inputs of the step. Hand out STEP,
/// or first PREDICT if the game guesses an input.
/// @return false when the tick passed without an operation, because the state is spoilt
static bool next_step(bksi_rollback *engine, bks_op *op)
{
    bksi_gathering *gathering = &engine->gathering;
    const uint32_t players = engine->match.players;
    const bool is_spoilt = bksi_rollback_is_spoilt(engine, engine->progress.at);
    for (uint32_t player = gathering->next_player; player < players; player++) {
        if (engine->config.custom_prediction && !is_spoilt &&
            engine->progress.at >= bksi_known_head(&engine->known, player)) {
            bksi_gathering_wait(gathering, player);
            return next_predict(engine, player, op);
        }
        uint8_t *packed = bksi_gathering_packed(gathering, player);
        bksi_known_at(&engine->known, player, engine->progress.at, packed);
        bksi_known_use(&engine->known, player, engine->progress.at, packed);
    }
    bksi_gathering_wait(gathering, 0);
    if (is_spoilt) {
        stepped(engine);
        return false;
    }
    (void)hand_out(op, BKS_OP_STEP, engine->progress.at);
    op->inputs = bksi_gathering_values(gathering, players);
    if (bksi_command_log_is_on(&engine->known.commands) &&
        bksi_known_use_commands(&engine->known, op->tick, bksi_gathering_commands(gathering))) {
        op->commands = bksi_gathering_commands(gathering);
    }
    return true;
}

/// Return true if the local players must be sampled before the present tick can be stepped.
static bool wants_sample(const bksi_rollback *engine)
{
    const bksi_schedule *schedule = &engine->schedule;
    const bks_tick end = engine->match.end;
    bks_tick head = engine->first + (bks_tick)schedule->delay_ticks;
    if (schedule->due_ticks > 0) {
        head += engine->progress.front - engine->first + (schedule->samples_only ? 0 : 1);
    }
    head = end > 0 && head > end ? end : head;
    return engine->match.local_count > 0 &&
           bksi_rollback_head(engine, engine->match.first_local) < head;
}

static bool next_sample(const bksi_rollback *engine, bks_op *op)
{
    const bksi_rollback_match *match = &engine->match;
    (void)hand_out(op, BKS_OP_SAMPLE, bksi_rollback_head(engine, match->first_local));
    op->player = match->first_local + engine->gathering.next_local;
    return true;
}

/// Step a due tick whose local players are sampled, or note that it cannot be stepped.
/// @return true if an operation was handed out
static bool next_due(bksi_rollback *engine, bks_op *op)
{
    bksi_schedule *schedule = &engine->schedule;
    if (schedule->samples_only) {
        schedule->samples_only = false;
        schedule->due_ticks--;
        return false;
    }
    if (bksi_rollback_is_blocked(engine)) {
        engine->is_starved = true;
        schedule->due_ticks = 0;
        return false;
    }
    return next_step(engine, op);
}

bool bksi_rollback_next(bksi_rollback *engine, bks_op *op)
{
    const bksi_progress *progress = &engine->progress;
    for (;;) {
        if (progress->restore != BKS_TICK_NONE) {
            return next_restore(engine, op);
        }
        if (progress->wants_hash) {
            return next_hash(engine, op);
        }
        if (progress->wants_save && next_save(engine, op)) {
            return true;
        }
        if (progress->load_until != BKS_TICK_NONE) {
            return next_load(engine, op);
        }
        bool is_behind = progress->at < progress->front;
        if (!is_behind && wants_sample(engine)) {
            return next_sample(engine, op);
        }
        if (!is_behind && engine->schedule.due_ticks == 0) {
            return false;
        }
        if (is_behind ? next_step(engine, op) : next_due(engine, op)) {
            return true;
        }
    }
}

// ---- results of operations ----

static void done_sample(bksi_rollback *engine, const bks_op *op, const bks_op_result *result)
{
    const bksi_rollback_match *match = &engine->match;
    bksi_gathering *gathering = &engine->gathering;
    uint8_t *packed = bksi_gathering_sample(gathering, result != NULL ? result->input : NULL);
    if (bksi_mutated(BKSI_MUTANT_SAMPLE) && engine->schedule.samples_only) {
        memcpy(packed, bksi_rollback_known(engine, op->player, op->tick - 1),
               engine->config.layout->bytes);
    }
    if (gathering->next_local < match->local_count) {
        return;
    }
    bksi_gathering_begin(gathering);
    if (bksi_rollback_has_commands(engine)) {
        engine->schedule.command_bytes = bksi_known_append_local(
            &engine->known, match->first_local, match->local_count, gathering->sampled,
            bksi_gathering_queue(gathering, 0), engine->schedule.command_bytes);
        return;
    }
    for (uint32_t i = 0; i < match->local_count; i++) {
        bksi_rollback_append(engine, match->first_local + i, bksi_gathering_sampled(gathering, i),
                             NULL);
    }
}

static void done_predict(bksi_rollback *engine, const bks_op_result *result)
{
    bksi_gathering *gathering = &engine->gathering;
    uint32_t player = gathering->next_player;
    const uint8_t *packed = bksi_gathering_guess(gathering, result != NULL ? result->input : NULL);
    bksi_known_use(&engine->known, player, engine->progress.at, packed);
}

static void done_restore(bksi_rollback *engine, const bks_op_result *result)
{
    const bool is_there = result != NULL && result->state_bytes > 0;
    if (is_there) { // forget all snapshots, because they were taken before the repair
        bksi_slots_forget_all(&engine->slots);
    }
    bksi_progress_restored(&engine->progress, is_there);
}

/// End resimulation early if a resimulated state is the same as before the rollback, and all later
/// inputs are the same, too. The newest snapshot is still valid then.
static void came_out_same(bksi_rollback *engine)
{
    const bksi_slots *slots = &engine->slots;
    const bksi_progress *progress = &engine->progress;
    const int32_t slot = bksi_slots_newest(slots, progress->front);
    const bks_tick newest = slot >= 0 ? slots->ticks[slot] : BKS_TICK_NONE;
    bool has_guesses = !engine->config.custom_prediction;
    if (newest > progress->at &&
        bksi_known_is_as_used(&engine->known, progress->at, progress->front, has_guesses)) {
        bksi_progress_end_early(&engine->progress, newest);
    }
}

static void done_hash(bksi_rollback *engine, uint64_t hash)
{
    bool is_same = bksi_settled_keep(&engine->settled, engine->progress.at, hash);
    bksi_progress_hashed(&engine->progress);
    if (!engine->progress.is_resimulating) {
        return;
    }
    if (is_same) {
        came_out_same(engine);
    } else {
        bksi_slots_forget(&engine->slots, engine->progress.at);
    }
}

/// Note that an operation failed. Ticks pass without the game until a rollback loads a state from
/// before the failed tick.
static void failed(bksi_rollback *engine, const bks_op *op)
{
    bksi_progress_fail(&engine->progress, op->kind == BKS_OP_STEP ? op->tick + 1 : op->tick);
    bksi_progress_restored(&engine->progress, false);
    if (op->kind == BKS_OP_STEP) {
        stepped(engine);
    } else if (op->kind == BKS_OP_SAVE) {
        bksi_slots_saved(&engine->slots, op->slot, BKS_TICK_NONE);
    }
    bksi_progress_spoil(&engine->progress, &engine->slots, &engine->settled);
}

void bksi_rollback_done(bksi_rollback *engine, const bks_op *op, const bks_op_result *result)
{
    if (result != NULL && result->problem != NULL) {
        failed(engine, op);
        return;
    }
    switch (op->kind) {
    case BKS_OP_SAMPLE:
        done_sample(engine, op, result);
        break;
    case BKS_OP_SAVE:
        bksi_slots_saved(&engine->slots, op->slot, op->tick);
        bksi_progress_saved(&engine->progress);
        break;
    case BKS_OP_LOAD:
        bksi_slots_loaded(&engine->slots, op->slot);
        bksi_progress_loaded(&engine->progress, op->tick);
        break;
    case BKS_OP_RESTORE:
        done_restore(engine, result);
        break;
    case BKS_OP_STEP:
        stepped(engine);
        break;
    case BKS_OP_HASH:
        BKS_ASSERT(result != NULL);
        if (op->keep != BKS_KEEP_NONE && !result->is_kept) {
            bksi_kept_states_failed(&engine->kept, op->tick);
        }
        done_hash(engine, result->hash);
        break;
    case BKS_OP_PREDICT:
        done_predict(engine, result);
        break;
    default: // not reached: the session carries out all other operations
        BKS_ASSERT(false);
        break;
    }
}
