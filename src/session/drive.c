// SPDX-License-Identifier: MIT

// Operations that the owner of the session must carry out. Before the match:
//
//   START HASH                           once, when everyone is known
//   RANGES                               once, if peers made different states
//
// During the match the operations are those that the rollback engine hands out for the due ticks.
// Each result is passed to the engine, and to the parts that measure operations.

#include "session/drive.h"

#include "base/report.h"
#include "session/queries.h"
#include "session/session_internal.h"

void bksi_drive_start(bks_session *session)
{
    const session_peer *own = &session->common.seats.peers[session->common.seats.self];
    bksi_rollback_match match = {
        .players = session->common.seats.players,
        .first_local = own->first_player,
        .local_count = own->player_count,
        .end = session->common.seats.end_tick,
        .hash_every = session->common.seats.hash_every,
        .has_others = bksi_seats_others(&session->common.seats) != 0,
    };
    bksi_rollback_start(&session->common.engine, &match);
}

void bksi_drive_begin(bks_session *session)
{
    session->is_updating = true;
    if (!bksi_phase_is_running(&session->common.phase)) {
        return;
    }
    bksi_schedule schedule = {
        .due_ticks = session->clock.due,
        .delay_ticks = session->tempo.pace.delay.now,
        .newer_ticks = bksi_budget_newer(&session->tempo.budget, &session->tempo.pace,
                                         &session->common, session->clock.interval_ns),
        .samples_only = session->clock.samples_only,
    };
    if (bksi_rollback_has_commands(&session->common.engine)) {
        schedule.command_bytes = bksi_exchange_command_bytes(
            &session->exchange, &session->inputs.runs, &session->common);
    }
    bksi_rollback_schedule(&session->common.engine, &schedule);
}

// ---- the next operation ----

static bool next_start(const bks_session *session, bks_op *op)
{
    *op = (bks_op){
        .kind = BKS_OP_START,
        .tick = session->common.seats.first_tick,
        .seed = session->common.seats.seed,
        .players = session->common.seats.players,
        .setup = session->lobby.start.setup,
        .setup_bytes = session->lobby.start.setup_bytes,
    };
    return true;
}

/// Hand out the operations before the match: the state of the first tick, its hash, and the hashes
/// of its parts if another peer's hash differs.
static bool next_before_start(const bks_session *session, bks_op *op)
{
    if (!session->lobby.start.is_made) {
        return next_start(session, op);
    }
    *op = (bks_op){.kind = session->lobby.start.is_hashed ? BKS_OP_RANGES : BKS_OP_HASH,
                   .tick = session->common.seats.first_tick,
                   .keep = BKS_KEEP_NONE};
    return !session->lobby.start.is_hashed || bksi_start_wants_parts(&session->lobby.start);
}

/// Record how late inputs were for each new tick, from tick `from` on.
static void note_steps(bks_session *session, bks_tick from)
{
    for (bks_tick tick = from; tick < bksi_rollback_front(&session->common.engine); tick++) {
        bksi_budget_note_late(&session->tempo.budget, &session->tempo.pace, &session->common,
                              tick + 1, session->clock.interval_ns);
        bksi_clock_stepped(&session->clock, &session->common);
    }
}

static bool next_running(bks_session *session, bks_op *op)
{
    bks_tick front = bksi_rollback_front(&session->common.engine);
    bool has_next = bksi_rollback_next(&session->common.engine, op);
    note_steps(session, front);
    if (!has_next && bksi_rollback_is_starved(&session->common.engine)) {
        bksi_clock_starve(&session->clock, &session->common.events, &session->common);
    }
    return has_next || bksi_game_check_next(&session->game_check, &session->common, op) ||
           bksi_answers_next(&session->answers, &session->common, op) ||
           bksi_descent_next(&session->descent, &session->common, op) ||
           bksi_fetch_next(&session->fetch, &session->common, op);
}

void bksi_session_hold_start(bks_session *session, bool is_held)
{
    session->holds_start = is_held;
}

static bool find_next(bks_session *session, bks_op *op)
{
    const session_phase *phase = &session->common.phase;
    if (bksi_phase_is_running(phase)) {
        return next_running(session, op);
    }
    return bksi_phase_is_in_lobby(phase) && bksi_phase_has_roster(phase) &&
           (session->lobby.start.is_made ||
            (!session->holds_start && bksi_lobby_may_load(&session->lobby, &session->common))) &&
           next_before_start(session, op);
}

/// Publish the ticks that have become certain, after the last operation of an update. This may end
/// the match.
static void settle(bks_session *session)
{
    if (!bksi_phase_is_running(&session->common.phase)) {
        return;
    }
    bks_tick published = bksi_rollback_published(&session->common.engine);
    // Find the longest patience only during a meeting: it is not needed otherwise, and the search
    // looks at all peers.
    const uint64_t silence_ns =
        session->meeting.is_on
            ? bksi_liveness_longest_patience_ns(&session->inputs.liveness, &session->common)
            : 0;
    bksi_meeting_update(&session->meeting, &session->fetch, &session->game_check,
                        &session->checking, &session->common, silence_ns);
    bksi_rollback_settle(&session->common.engine);
    const bks_tick first = bksi_rollback_first(&session->common.engine);
    for (bks_tick tick = published >= first ? published + 1 : first;
         tick <= bksi_rollback_published(&session->common.engine); tick++) {
        bksi_checking_published(&session->checking, &session->common, tick);
    }
    if (bksi_rollback_published(&session->common.engine) != published) {
        bksi_checking_agree(&session->checking, &session->common, &session->common.engine);
    }
    bksi_failure_settle(&session->failure, &session->common);
}

bool bks_session_next(bks_session *session, bks_op *op)
{
    BKSI_REFUSE_NULL_OR(false, session);
    BKSI_REFUSE_NULL_OR(false, op);
    if (session->has_op) {
        bksi_log(BKS_LOG_ERROR, "bks_session_next", "the last operation is not done");
    } else if (session->is_updating) {
        session->has_op = find_next(session, &session->op);
    }
    if (session->has_op) {
        *op = session->op;
        return true;
    }
    if (session->is_updating) {
        session->is_updating = false;
        settle(session);
    }
    return false;
}

// ---- results of operations ----

/// Begin to accept inputs, after START made the state of the first tick.
static void begin_inputs(bks_session *session)
{
    const bks_tick first = session->common.seats.first_tick;
    bksi_rollback_begin(&session->common.engine, first);
    bksi_runs_begin(&session->inputs.runs, first);
    bksi_exchange_begin(&session->exchange, first);
}

void bksi_session_refuse_match(bks_session *session, const char *problem)
{
    bksi_refusal_of_match(&session->lobby.refusal, &session->common.phase, &session->common.events,
                          session->common.now_ns, problem);
}

static void done_before_start(bks_session *session, const bks_op_result *result)
{
    static const bks_op_result nothing = {0};
    result = result != NULL ? result : &nothing;
    if (result->problem != NULL) {
        bksi_session_refuse_match(session, result->problem);
        return;
    }
    switch (session->op.kind) {
    case BKS_OP_START:
        begin_inputs(session);
        bksi_lobby_made_state(&session->lobby, &session->common);
        bksi_rollback_limit_slots(&session->common.engine, result->slots);
        break;
    case BKS_OP_HASH:
        bksi_start_hashed(&session->lobby.start, result->hash);
        break;
    default:
        bksi_lobby_take_parts(&session->lobby, &session->common, result->hashes,
                              result->hash_count);
        break;
    }
}

/// Handle the result of an operation that inspected, checked or repaired a kept state.
static void done_inspection(bks_session *session, const bks_op_result *result)
{
    if (bksi_answers_wait(&session->answers)) {
        bksi_answers_done(&session->answers, &session->op, result);
    } else if (session->game_check.is_working) {
        bksi_game_check_done(&session->game_check, &session->op, result);
    } else if (bksi_fetch_works(&session->fetch)) {
        bksi_fetch_done(&session->fetch, &session->common, &session->op, result);
    } else {
        bksi_descent_done(&session->descent, &session->checking, &session->common,
                          &session->common.events, result);
    }
}

static void done_running(bks_session *session, const bks_op_result *result)
{
    bks_tick front = bksi_rollback_front(&session->common.engine);
    bksi_rollback_done(&session->common.engine, &session->op, result);
    note_steps(session, front);
    if (session->op.kind == BKS_OP_SAMPLE &&
        bksi_common_own_head(&session->common) > session->op.tick) {
        bksi_runs_sampled(&session->inputs.runs, &session->common);
        bksi_views_extend(&session->inputs.runs, &session->common.engine, &session->common);
        bksi_input_delay_sampled(&session->tempo.pace.delay);
    }
    if (result != NULL && result->problem != NULL) {
        bksi_failure_of(&session->failure, &session->common, &session->op, result->problem);
    }
}

bks_status bks_session_done(bks_session *session, const bks_op *op, const bks_op_result *result)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, op);
    if (!session->has_op || op->kind != session->op.kind || op->tick != session->op.tick) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_session_done", "op",
                         "op is not the operation handed out last");
    }
    if (op->kind == BKS_OP_HASH && result == NULL) {
        return bksi_fail_null(NULL, "bks_session_done", "result");
    }
    session->has_op = false;
    if (result != NULL) {
        bksi_budget_note(&session->tempo.budget, op->kind, result->cost_ns, session->common.now_ns);
    }
    if (op->kind >= BKS_OP_PARTS && op->kind != BKS_OP_RESTORE) {
        done_inspection(session, result);
    } else if (bksi_rollback_has_started(&session->common.engine)) {
        done_running(session, result);
    } else {
        done_before_start(session, result);
    }
    return BKS_OK;
}
