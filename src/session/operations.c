// SPDX-License-Identifier: MIT

// One update as a string of operations, handed out one at a time:
//
//   START HASH                           once, when everyone is known
//   RANGES                               once, when not all made the same state
//   LOAD                                 when a guess was wrong: the nearest snapshot before it
//   [PREDICT] STEP HASH [SAVE] …         up to the present, in the same update
//   LOAD                                 or until the state is as before: then to the newest
//                                        snapshot, which is true after all
//   SAMPLE … [PREDICT] STEP HASH [SAVE]  for each due tick
//
// The state is always at the start of tick `at`; `front` is the present. Nothing is remembered of
// the string but what these two, the wrong tick and the due ticks say.

#include "session/session_internal.h"

#include <string.h>

#include "base/assert.h"
#include "base/report.h"

/// Policy `one` walks its whole window every update that steps [INVERSUS, in hindsight].
static bool one_restores(const bks_session *session)
{
    return session->config.save == BKS_SAVE_ONE && session->slot_count > 0 && session->due > 0 &&
           session->slots[0].tick != BKS_TICK_NONE && session->slots[0].tick < session->at;
}

void bksi_operations_begin(bks_session *session)
{
    if (session->phase != BKS_PHASE_RUNNING) {
        return;
    }
    if (session->wrong != BKS_TICK_NONE) {
        uint32_t depth = (uint32_t)(session->front - session->wrong);
        session->stats.rollbacks++;
        session->stats.rollback_depth_sum += depth;
        if (depth > session->stats.rollback_depth_max) {
            session->stats.rollback_depth_max = depth;
        }
        session->load_until = session->wrong;
        session->wrong = BKS_TICK_NONE;
    }
    session->one_target = BKS_TICK_NONE;
    if (one_restores(session)) {
        session->load_until = session->at;
        bks_tick target =
            session->front + (bks_tick)session->due - (bks_tick)session->config.window_ticks;
        bks_tick confirmed = bks_session_confirmed(session);
        if (target > confirmed && !bksi_mutated(BKSI_MUTANT_TARGET)) {
            target = confirmed;
        }
        session->one_target = target < session->front ? target : session->front;
    }
    session->sample_player = 0;
}

static bool hand_out(bks_session *session, bks_op_kind kind, bks_tick tick, bks_op *op)
{
    session->op = (bks_op){.kind = kind, .tick = tick};
    session->has_op = true;
    *op = session->op;
    return true;
}

static bool next_start(bks_session *session, bks_op *op)
{
    (void)hand_out(session, BKS_OP_START, 0, op);
    op->seed = session->op.seed = session->seed;
    op->players = session->op.players = session->players;
    op->setup = session->op.setup = session->setup;
    op->setup_bytes = session->op.setup_bytes = session->setup_bytes;
    return true;
}

static bool next_load(bks_session *session, bks_op *op)
{
    bks_tick until = session->load_until;
    uint32_t slot = session->config.save == BKS_SAVE_ONE ? 0 : bksi_saves_nearest(session, until);
    if (bksi_mutated(BKSI_MUTANT_SLOT) &&
        session->slots[(slot + 1) % session->slot_count].tick >= 0) {
        slot = (slot + 1) % session->slot_count;
    }
    (void)hand_out(session, BKS_OP_LOAD, session->slots[slot].tick, op);
    op->slot = session->op.slot = slot;
    return true;
}

/// Ask the game for a player's input. It is told what the fields' predictors would say.
static bool next_predict(bks_session *session, uint32_t player, bks_op *op)
{
    const bksi_layout *layout = &session->layout;
    const bksi_timeline *timeline = &session->timelines[player];
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    int32_t *last = session->guess + layout->field_count;
    bksi_timeline_at(timeline, session->at, packed);
    bksi_layout_unpack(layout, packed, session->guess);
    bksi_layout_unpack(layout, bksi_timeline_confirmed(timeline, timeline->head - 1), last);
    (void)hand_out(session, BKS_OP_PREDICT, session->at, op);
    op->player = session->op.player = player;
    op->last_tick = session->op.last_tick = timeline->head - 1;
    op->inputs = session->op.inputs = last;
    op->guess = session->op.guess = session->guess;
    return true;
}

/// Nothing is to be done with the state as it is, nor is what was kept of this tick before true.
static void spoil(bks_session *session)
{
    session->wants_hash = false;
    session->wants_save = false;
    session->hashes[(uint32_t)session->at % session->capacity_ticks].tick = BKS_TICK_NONE;
    bksi_saves_forget(session, session->at);
}

static void entered(bks_session *session, bks_tick tick)
{
    session->at = tick;
    bool is_last = session->ticks > 0 && tick == session->ticks;
    session->wants_hash = tick % (bks_tick)session->hash_every == 0 || is_last;
    session->wants_save = true;
    if (session->is_resimulating && !session->wants_hash) {
        bksi_saves_forget(session, tick);
    }
    if (bksi_failure_spoils(session, tick)) {
        spoil(session);
    }
}

static void done_step(bks_session *session)
{
    bks_tick tick = session->at;
    if (tick < session->front) {
        session->stats.resimulated++;
    } else {
        session->front++;
        session->due--;
        bksi_budget_note_late(session);
        session->is_resimulating = false;
    }
    entered(session, tick + 1);
}

static bool next_running(bks_session *session, bks_op *op);

/// Gather every player's input of a tick, remember what was used, unpack it for the game.
static bool next_step(bks_session *session, bks_op *op)
{
    const bksi_layout *layout = &session->layout;
    const bool is_spoilt = bksi_failure_spoils(session, session->at);
    for (; session->predict_player < session->players; session->predict_player++) {
        bksi_timeline *timeline = &session->timelines[session->predict_player];
        uint8_t *packed = session->packed + (size_t)session->predict_player * layout->bytes;
        if (session->config.custom_prediction && session->at >= timeline->head && !is_spoilt) {
            return next_predict(session, session->predict_player, op);
        }
        bksi_timeline_at(timeline, session->at, packed);
        bksi_timeline_use(timeline, session->at, packed);
    }
    session->predict_player = 0;
    if (is_spoilt) { // not by the game; at most a window in a row
        done_step(session);
        return next_running(session, op);
    }
    for (uint32_t p = 0; p < session->players; p++) {
        bksi_layout_unpack(layout, session->packed + (size_t)p * layout->bytes,
                           session->inputs + (size_t)p * layout->field_count);
    }
    (void)hand_out(session, BKS_OP_STEP, session->at, op);
    op->inputs = session->op.inputs = session->inputs;
    return true;
}

/// Our own head before which the present tick cannot be stepped.
static bks_tick wanted_head(const bks_session *session)
{
    bks_tick delay = (bks_tick)session->delay;
    bks_tick step = session->samples_only ? 0 : 1;
    bks_tick head = session->due > 0 ? session->front + delay + step : delay;
    return session->ticks > 0 && head > session->ticks ? session->ticks : head;
}

static bool next_sample(bks_session *session, bks_op *op)
{
    uint32_t player = session->peers[session->self].first_player + session->sample_player;
    (void)hand_out(session, BKS_OP_SAMPLE, bksi_heads_own(session), op);
    op->player = session->op.player = player;
    return true;
}

static bool next_running(bks_session *session, bks_op *op)
{
    if (session->wants_hash) {
        return hand_out(session, BKS_OP_HASH, session->at, op);
    }
    if (session->wants_save) {
        int32_t slot = bksi_saves_slot(session, session->at);
        if (slot >= 0) {
            (void)hand_out(session, BKS_OP_SAVE, session->at, op);
            op->slot = session->op.slot = (uint32_t)slot;
            return true;
        }
        session->wants_save = false;
    }
    if (session->load_until != BKS_TICK_NONE) {
        return next_load(session, op);
    }
    if (session->at < session->front) {
        return next_step(session, op);
    }
    if (bksi_heads_own(session) < wanted_head(session)) {
        return next_sample(session, op);
    }
    if (session->samples_only) {
        session->samples_only = false;
        session->due--;
        return next_running(session, op);
    }
    if (session->due > 0 && bksi_clock_is_blocked(session)) {
        bksi_clock_starve(session);
    }
    if (session->due > 0) {
        return next_step(session, op);
    }
    return false;
}

/// The state of tick 0, its hash, and when another peer's is not the same, those of its parts.
static bool next_before_start(bks_session *session, bks_op *op)
{
    if (!session->state_is_made) {
        return next_start(session, op);
    }
    if (!session->start_is_hashed) {
        return hand_out(session, BKS_OP_HASH, 0, op);
    }
    return bksi_start_wants_parts(session) && hand_out(session, BKS_OP_RANGES, 0, op);
}

bool bks_session_next(bks_session *session, bks_op *op)
{
    if (session == NULL || op == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_next", session == NULL ? "session" : "op");
        return false;
    }
    if (session->has_op) {
        bksi_log(BKS_LOG_ERROR, "bks_session_next", "the last operation is not done");
        *op = session->op;
        return true;
    }
    if (!session->is_updating) {
        return false;
    }
    if (session->phase == BKS_PHASE_GATHERING && session->stage != LOBBY_GATHERING &&
        next_before_start(session, op)) {
        return true;
    }
    if (session->phase == BKS_PHASE_RUNNING && next_running(session, op)) {
        return true;
    }
    session->is_updating = false;
    bksi_checking_settle(session);
    bksi_failure_settle(session);
    return false;
}

/// Fewer slots than asked for are room enough when snapshots lie far apart.
static void limit_slots(bks_session *session, uint32_t slots)
{
    if (session->config.save != BKS_SAVE_AUTO || slots == 0 || slots >= session->slot_count) {
        return;
    }
    session->slot_count = slots > 2 ? slots : 2;
}

static void done_sample(bks_session *session, const bks_op_result *result)
{
    const bksi_layout *layout = &session->layout;
    uint8_t *packed = session->sampled + (size_t)session->sample_player * layout->bytes;
    if (result != NULL && result->input != NULL) {
        bksi_layout_pack_clamped(layout, result->input, packed);
    } else {
        memcpy(packed, layout->neutral, layout->bytes);
    }
    if (bksi_mutated(BKSI_MUTANT_SAMPLE) && session->samples_only) {
        memcpy(
            packed,
            bksi_timeline_confirmed(&session->timelines[session->op.player], session->op.tick - 1),
            layout->bytes);
    }
    const session_peer *own = &session->peers[session->self];
    if (++session->sample_player < own->player_count) {
        return;
    }
    session->sample_player = 0;
    for (uint32_t i = 0; i < own->player_count; i++) {
        bks_tick wrong = bksi_timeline_append(&session->timelines[own->first_player + i],
                                              session->sampled + (size_t)i * layout->bytes);
        BKS_ASSERT(wrong == BKS_TICK_NONE);
        (void)wrong;
    }
    bksi_views_extend(session);
    session->delay_sum += (double)session->delay;
    session->delay_count++;
}

static void done_predict(bks_session *session, const bks_op_result *result)
{
    const bksi_layout *layout = &session->layout;
    uint8_t *packed = session->packed + (size_t)session->predict_player * layout->bytes;
    bool has_input = result != NULL && result->input != NULL;
    bksi_layout_pack_clamped(layout, has_input ? result->input : session->guess, packed);
    bksi_timeline_use(&session->timelines[session->predict_player], session->at, packed);
    session->predict_player++;
}

static void done_load(bks_session *session, bks_tick tick)
{
    session->load_until = BKS_TICK_NONE;
    session->is_resimulating = true;
    session->at = tick;
    bksi_failure_undo(session, tick);
    session->wants_save = true;
}

/// Whether the ticks from here to the present were stepped with what they would be stepped with
/// now. What a game would guess by itself is not known beforehand.
static bool are_inputs_as_before(const bks_session *session)
{
    if (bksi_mutated(BKSI_MUTANT_EARLY)) {
        return true;
    }
    for (uint32_t p = 0; p < session->players; p++) {
        const bksi_timeline *timeline = &session->timelines[p];
        if ((session->config.custom_prediction && timeline->head < session->front) ||
            !bksi_timeline_is_as_used(timeline, session->at, session->front)) {
            return false;
        }
    }
    return true;
}

/// While resimulating, the state of a tick came out as before. If all inputs from there on are as
/// before too, so is everything after it, and there is no need to step to the newest snapshot.
static void came_out_same(bks_session *session)
{
    bks_tick newest = session->slots[bksi_saves_nearest(session, session->front)].tick;
    if (newest <= session->at || !are_inputs_as_before(session)) {
        return;
    }
    session->load_until = session->front;
    session->stats.early_ends++;
    session->stats.early_end_ticks += (uint64_t)(newest - session->at);
}

static void done_hash(bks_session *session, uint64_t hash)
{
    own_hash *own = &session->hashes[(uint32_t)session->at % session->capacity_ticks];
    bool was_here = own->tick == session->at;
    bool is_same = was_here && own->state == hash;
    own->tick = session->at;
    own->state = was_here && bksi_mutated(BKSI_MUTANT_STALE) ? own->state : hash;
    session->wants_hash = false;
    if (!session->is_resimulating) {
        return;
    }
    if (is_same) {
        came_out_same(session);
    } else {
        bksi_saves_forget(session, session->at);
    }
}

/// The operation was not carried out, and what it was to do is still so.
static void failed(bks_session *session, const char *problem)
{
    const bks_op *op = &session->op;
    if (session->phase == BKS_PHASE_GATHERING) {
        bksi_refusal_of_match(session, problem);
        return;
    }
    bksi_failure_of(session, op, problem);
    if (op->kind == BKS_OP_STEP) {
        done_step(session);
    } else if (op->kind == BKS_OP_SAVE) {
        session->slots[op->slot].tick = BKS_TICK_NONE;
    }
    if (bksi_failure_spoils(session, session->at)) {
        spoil(session);
    }
}

bks_status bks_session_done(bks_session *session, const bks_op *op, const bks_op_result *result)
{
    if (session == NULL || op == NULL) {
        return bksi_fail_null(NULL, "bks_session_done", session == NULL ? "session" : "op");
    }
    if (!session->has_op || op->kind != session->op.kind || op->tick != session->op.tick) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_session_done", "op",
                         "op is not the operation handed out last");
    }
    if (op->kind == BKS_OP_HASH && result == NULL) {
        return bksi_fail_null(NULL, "bks_session_done", "result");
    }
    session->has_op = false;
    if (result != NULL) {
        bksi_budget_note(session, op->kind, result->cost_ns);
    }
    if (result != NULL && result->problem != NULL) {
        failed(session, result->problem);
        return BKS_OK;
    }
    switch (session->op.kind) {
    case BKS_OP_START:
        session->state_is_made = true;
        limit_slots(session, result != NULL ? result->slots : 0);
        session->owes_join = !session->config.is_host;
        session->front = 0;
        entered(session, 0);
        break;
    case BKS_OP_SAMPLE:
        done_sample(session, result);
        break;
    case BKS_OP_SAVE:
        session->slots[session->op.slot].tick = session->op.tick;
        session->wants_save = false;
        break;
    case BKS_OP_LOAD:
        done_load(session, session->op.tick);
        break;
    case BKS_OP_STEP:
        done_step(session);
        break;
    case BKS_OP_HASH:
        if (session->phase == BKS_PHASE_GATHERING) {
            bksi_start_made(session, result->hash);
        }
        done_hash(session, result->hash);
        break;
    case BKS_OP_RANGES:
        bksi_start_take_parts(session, result != NULL ? result->hashes : NULL,
                              result != NULL ? result->hash_count : 0);
        break;
    case BKS_OP_PREDICT:
        done_predict(session, result);
        break;
    }
    return BKS_OK;
}
