// SPDX-License-Identifier: MIT

// One update as a string of operations, handed out one at a time:
//
//   LOAD                                 when a guess was wrong: the nearest snapshot before it
//   [PREDICT] STEP HASH [SAVE] …         up to the present, in the same update
//   LOAD                                 or until the state is as before: then to the newest
//                                        snapshot, which is true after all
//   SAMPLE … [PREDICT] STEP HASH [SAVE]  for each due tick
//
// The state is always at the start of tick `at`; `front` is the present. Nothing is remembered of
// the string but what these two, the wrong tick, the due ticks and the gathered inputs say.

#include <string.h>

#include "base/assert.h"
#include "base/mutant.h"
#include "rollback/engine_parts.h"

void bksi_operations_start(bksi_rollback *engine)
{
    engine->spoilt = engine->load_until = BKS_TICK_NONE;
    engine->wants_hash = true;
    engine->wants_save = true;
}

// ---- an update begins ----

/// Policy `one` walks its whole window every update that steps [INVERSUS, in hindsight].
static bool one_restores(const bksi_rollback *engine)
{
    const bksi_slots *slots = &engine->slots;
    return slots->policy == BKS_SAVE_ONE && slots->count > 0 && engine->schedule.due_ticks > 0 &&
           slots->ticks[0] != BKS_TICK_NONE && slots->ticks[0] < engine->at;
}

static void aim_one(bksi_rollback *engine)
{
    bks_tick target = engine->front + (bks_tick)engine->schedule.due_ticks -
                      (bks_tick)engine->config.window_ticks;
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    if (target > confirmed && !bksi_mutated(BKSI_MUTANT_TARGET)) {
        target = confirmed;
    }
    bksi_slots_aim(&engine->slots, target < engine->front ? target : engine->front);
    engine->load_until = engine->at;
}

/// What was stepped from a tick on is wrong.
static void go_back(bksi_rollback *engine, bks_tick wrong)
{
    bksi_rollback_counts *counts = &engine->counts;
    uint32_t depth = (uint32_t)(engine->front - wrong);
    counts->rollbacks++;
    counts->depth_sum += depth;
    counts->depth_max = depth > counts->depth_max ? depth : counts->depth_max;
    engine->load_until = wrong;
}

void bksi_rollback_schedule(bksi_rollback *engine, const bksi_schedule *schedule)
{
    if (bksi_mutated(BKSI_MUTANT_DELAY) && schedule->delay_ticks < engine->schedule.delay_ticks) {
        bksi_known_lose(engine);
    }
    engine->schedule = *schedule;
    engine->is_starved = false;
    bks_tick wrong = bksi_known_take_wrong(engine);
    if (wrong != BKS_TICK_NONE) {
        go_back(engine, wrong);
    }
    bksi_slots_aim(&engine->slots, BKS_TICK_NONE);
    if (one_restores(engine)) {
        aim_one(engine);
    }
    bksi_gathering_begin(&engine->gathering);
}

bool bksi_rollback_is_blocked(const bksi_rollback *engine)
{
    bks_tick window = (bks_tick)engine->config.window_ticks;
    if (bksi_mutated(BKSI_MUTANT_WINDOW)) {
        window++;
    }
    return engine->front - bksi_rollback_confirmed(engine) >= window;
}

bool bksi_rollback_goes_on(const bksi_rollback *engine)
{
    return engine->schedule.due_ticks > 0 && !engine->schedule.samples_only &&
           !bksi_rollback_is_blocked(engine) && !bksi_rollback_is_spoilt(engine, engine->front);
}

// ---- the state is at another tick ----

/// Nothing is to be done with the state as it is, nor is what was kept of this tick before true.
static void spoil(bksi_rollback *engine)
{
    engine->wants_hash = false;
    engine->wants_save = false;
    bksi_settled_forget(&engine->settled, engine->at);
    bksi_slots_forget(&engine->slots, engine->at);
}

static void entered(bksi_rollback *engine, bks_tick tick)
{
    engine->at = tick;
    engine->wants_hash = bksi_settled_wants(&engine->settled, tick);
    engine->wants_save = true;
    if (engine->is_resimulating && !engine->wants_hash) {
        bksi_slots_forget(&engine->slots, tick);
    }
    if (bksi_rollback_is_spoilt(engine, tick)) {
        spoil(engine);
    }
}

static void stepped(bksi_rollback *engine)
{
    bks_tick tick = engine->at;
    if (tick < engine->front) {
        engine->counts.resimulated++;
    } else {
        engine->front++;
        engine->schedule.due_ticks--;
        engine->is_resimulating = false;
    }
    entered(engine, tick + 1);
}

// ---- what is next ----

static bool hand_out(bks_op *op, bks_op_kind kind, bks_tick tick)
{
    *op = (bks_op){.kind = kind, .tick = tick};
    return true;
}

static bool next_load(const bksi_rollback *engine, bks_op *op)
{
    const bksi_slots *slots = &engine->slots;
    uint32_t slot =
        slots->policy == BKS_SAVE_ONE ? 0 : bksi_slots_nearest(slots, engine->load_until);
    uint32_t other = (slot + 1) % slots->count;
    if (bksi_mutated(BKSI_MUTANT_SLOT) && slots->ticks[other] >= 0) {
        slot = other;
    }
    (void)hand_out(op, BKS_OP_LOAD, slots->ticks[slot]);
    op->slot = slot;
    return true;
}

static bool next_save(bksi_rollback *engine, bks_op *op)
{
    bks_tick confirmed = bksi_rollback_confirmed(engine);
    bks_tick certain = confirmed < engine->front ? confirmed : engine->front;
    int32_t slot = bksi_slots_place(&engine->slots, engine->at, certain, engine->is_resimulating);
    if (slot < 0) {
        engine->wants_save = false;
        return false;
    }
    (void)hand_out(op, BKS_OP_SAVE, engine->at);
    op->slot = (uint32_t)slot;
    return true;
}

/// Ask the game for a player's input. It is told what the fields' predictors would say.
static bool next_predict(bksi_rollback *engine, uint32_t player, bks_op *op)
{
    const bksi_layout *layout = engine->config.layout;
    const bksi_timeline *timeline = &engine->timelines[player];
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t *guess = engine->gathering.guess;
    int32_t *last = guess + layout->field_count;
    bksi_timeline_at(timeline, engine->at, packed);
    bksi_layout_unpack(layout, packed, guess);
    bksi_layout_unpack(layout, bksi_timeline_confirmed(timeline, timeline->head - 1), last);
    (void)hand_out(op, BKS_OP_PREDICT, engine->at);
    op->player = player;
    op->last_tick = timeline->head - 1;
    op->inputs = last;
    op->guess = guess;
    return true;
}

/// Gather every player's input of a tick, remember what was used, unpack it for the game.
/// @return false when the tick passed without the game, as its state is spoilt
static bool next_step(bksi_rollback *engine, bks_op *op)
{
    bksi_gathering *gathering = &engine->gathering;
    const uint32_t players = engine->match.players;
    const bool is_spoilt = bksi_rollback_is_spoilt(engine, engine->at);
    for (uint32_t player = gathering->next_player; player < players; player++) {
        const bksi_timeline *timeline = &engine->timelines[player];
        if (engine->config.custom_prediction && engine->at >= timeline->head && !is_spoilt) {
            bksi_gathering_wait(gathering, player);
            return next_predict(engine, player, op);
        }
        uint8_t *packed = bksi_gathering_packed(gathering, player);
        bksi_timeline_at(timeline, engine->at, packed);
        bksi_known_use(engine, player, engine->at, packed);
    }
    bksi_gathering_wait(gathering, 0);
    if (is_spoilt) {
        stepped(engine);
        return false;
    }
    (void)hand_out(op, BKS_OP_STEP, engine->at);
    op->inputs = bksi_gathering_values(gathering, players);
    return true;
}

/// Whether the present tick cannot be stepped before our own players are sampled.
static bool wants_sample(const bksi_rollback *engine)
{
    const bksi_schedule *schedule = &engine->schedule;
    const bks_tick end = engine->match.ticks;
    bks_tick head = (bks_tick)schedule->delay_ticks;
    if (schedule->due_ticks > 0) {
        head += engine->front + (schedule->samples_only ? 0 : 1);
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

/// All that is due is sampled: step it, or find that it cannot be stepped.
/// @return whether there is an operation
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
    for (;;) {
        if (engine->wants_hash) {
            return hand_out(op, BKS_OP_HASH, engine->at);
        }
        if (engine->wants_save && next_save(engine, op)) {
            return true;
        }
        if (engine->load_until != BKS_TICK_NONE) {
            return next_load(engine, op);
        }
        bool is_behind = engine->at < engine->front;
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

// ---- what came of it ----

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
    for (uint32_t i = 0; i < match->local_count; i++) {
        bksi_rollback_append(engine, match->first_local + i, bksi_gathering_sampled(gathering, i));
    }
}

static void done_predict(bksi_rollback *engine, const bks_op_result *result)
{
    bksi_gathering *gathering = &engine->gathering;
    uint32_t player = gathering->next_player;
    const uint8_t *packed = bksi_gathering_guess(gathering, result != NULL ? result->input : NULL);
    bksi_known_use(engine, player, engine->at, packed);
}

/// The state is that of a tick again, as it was when it was saved. What failed later is undone.
static void done_load(bksi_rollback *engine, const bks_op *op)
{
    bksi_slots_loaded(&engine->slots, op->slot);
    engine->load_until = BKS_TICK_NONE;
    engine->is_resimulating = true;
    engine->at = op->tick;
    if (!bksi_rollback_is_spoilt(engine, op->tick)) {
        engine->spoilt = BKS_TICK_NONE;
    }
    engine->wants_save = true;
}

/// Whether the ticks from here to the present were stepped with what they would be stepped with
/// now. What a game would guess by itself is not known beforehand.
static bool are_inputs_as_before(const bksi_rollback *engine)
{
    if (bksi_mutated(BKSI_MUTANT_EARLY)) {
        return true;
    }
    for (uint32_t p = 0; p < engine->match.players; p++) {
        const bksi_timeline *timeline = &engine->timelines[p];
        if ((engine->config.custom_prediction && timeline->head < engine->front) ||
            !bksi_timeline_is_as_used(timeline, engine->at, engine->front)) {
            return false;
        }
    }
    return true;
}

/// While resimulating, the state of a tick came out as before. If all inputs from there on are as
/// before too, so is everything after it, and there is no need to step to the newest snapshot.
static void came_out_same(bksi_rollback *engine)
{
    const bksi_slots *slots = &engine->slots;
    bks_tick newest = slots->ticks[bksi_slots_nearest(slots, engine->front)];
    if (newest <= engine->at || !are_inputs_as_before(engine)) {
        return;
    }
    engine->load_until = engine->front;
    engine->counts.early_ends++;
    engine->counts.early_end_ticks += (uint64_t)(newest - engine->at);
}

static void done_hash(bksi_rollback *engine, uint64_t hash)
{
    bool is_same = bksi_settled_keep(&engine->settled, engine->at, hash);
    engine->wants_hash = false;
    if (!engine->is_resimulating) {
        return;
    }
    if (is_same) {
        came_out_same(engine);
    } else {
        bksi_slots_forget(&engine->slots, engine->at);
    }
}

/// The operation was not carried out, and what it was to do is still so. Until a rollback takes it
/// back, ticks pass without the game.
static void failed(bksi_rollback *engine, const bks_op *op)
{
    engine->spoilt = op->kind == BKS_OP_STEP ? op->tick + 1 : op->tick;
    if (op->kind == BKS_OP_STEP) {
        stepped(engine);
    } else if (op->kind == BKS_OP_SAVE) {
        bksi_slots_saved(&engine->slots, op->slot, BKS_TICK_NONE);
    }
    if (bksi_rollback_is_spoilt(engine, engine->at)) {
        spoil(engine);
    }
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
        engine->wants_save = false;
        break;
    case BKS_OP_LOAD:
        done_load(engine, op);
        break;
    case BKS_OP_STEP:
        stepped(engine);
        break;
    case BKS_OP_HASH:
        BKS_ASSERT(result != NULL);
        done_hash(engine, result->hash);
        break;
    case BKS_OP_PREDICT:
        done_predict(engine, result);
        break;
    case BKS_OP_START:
    case BKS_OP_RANGES:
        BKS_ASSERT(false);
        break;
    }
}
