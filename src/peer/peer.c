// SPDX-License-Identifier: MIT

// A peer is a loop over the session's operations, carried out on a runner.

#include "peer/peer_parts.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/start_parts.h"
#include "peer/awaited_state.h"
#include "peer/peer_config.h"
#include "peer/repairable.h"
#include "session/queries.h"

static uint64_t clock_now(const bks_peer *peer)
{
    return peer->config.clock_ns != NULL ? peer->config.clock_ns(peer->config.clock_context) : 0;
}

/// Compare the cues of all steps with those that were reported, once all operations of an update
/// are done.
static void update_cues(bks_peer *peer, bks_status ended)
{
    if (peer->cues == NULL) {
        return;
    }
    bks_cues_update(peer->cues, bks_session_tick(peer->session),
                    bksi_session_settled(peer->session));
    if (ended != BKS_OK) {
        bks_cues_end(peer->cues);
    }
}

/// Get the seat of the first local player, 0 before the start.
static uint32_t first_seat(const bks_peer *peer)
{
    bks_roster roster = {0};
    return bks_session_roster(peer->session, &roster) == BKS_OK ? roster.first_player[roster.self]
                                                                : 0;
}

bool bks_peer_cue(bks_peer *peer, bks_cue_event *event)
{
    BKSI_REFUSE_NULL_OR(false, peer);
    BKSI_REFUSE_NULL_OR(false, event);
    while (peer->cues != NULL && bks_cues_next(peer->cues, event)) {
        if (event->id != BKS_CUE_REFUSED ||
            (uint32_t)(event->key >> 32) - first_seat(peer) < peer->config.session.local_players) {
            return true;
        }
    }
    return false;
}

uint64_t bks_peer_cues_lost(const bks_peer *peer)
{
    BKSI_REFUSE_NULL_OR(0, peer);
    return peer->cues != NULL ? bks_cues_lost(peer->cues) : 0;
}

static void update_pictures(bks_peer *peer)
{
    const bks_tick present = bks_session_tick(peer->session);
    if (bks_session_phase(peer->session) != BKS_PHASE_GATHERING && present > peer->first_tick) {
        double interval_ns;
        bool is_last;
        const uint64_t next_ns = bksi_session_next_tick(peer->session, &interval_ns, &is_last);
        bksi_pictures_update(&peer->pictures, present, next_ns, interval_ns, is_last);
    }
}

bks_status bks_peer_frame(bks_peer *peer, uint64_t now_ns, bks_frame *frame)
{
    BKSI_REFUSE_NULL(NULL, peer);
    BKSI_REFUSE_NULL(NULL, frame);
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_tick newest = bks_session_tick(peer->session) - 1;
    const bool is_known =
        newest >= peer->first_tick && bks_session_inputs(peer->session, newest, inputs) == BKS_OK;
    bksi_pictures_frame(&peer->pictures, peer->runner, is_known ? inputs : NULL, now_ns, frame);
    return BKS_OK;
}

// ---- sync test ----

/// Go back from the tick just stepped, step again and compare. The time for this does not count as
/// cost of the step.
static bks_status test_step(bks_peer *peer, bks_status stepped)
{
    const uint64_t before_ns = clock_now(peer);
    const bks_status status = bksi_sync_test_end(peer->sync_test, stepped);
    peer->begun_ns += clock_now(peer) - before_ns;
    return status;
}

// ---- operations ----

static uint64_t draw_offset(const bks_peer *peer)
{
    const bks_state_map *own = peer->config.map;
    const bks_state_map *map = own != NULL ? own : peer->config.game->map;
    return bksi_runner_draw_offset(peer->runner, map, peer->flip.offset, peer->flip.bit);
}

static void flip_bit(bks_peer *peer, bks_tick tick)
{
    const bksi_flip *flip = &peer->flip;
    bksi_flipped *flipped = &peer->flipped;
    flipped->is_there = true;
    flipped->tick = tick;
    flipped->used_bytes = bksi_runner_used_bytes(peer->runner);
    flipped->offset = flip->is_drawn ? draw_offset(peer) : flip->offset;
    flipped->is_beyond = flipped->offset >= flipped->used_bytes;
    if (!flipped->is_beyond) {
        bksi_runner_flip(peer->runner, flipped->offset, flip->bit);
    }
}

/// Return true if a planted flip that happens once must change the state of `tick`. The flip waits
/// until its planned tick is published, and then changes the next state that is made. If a rollback
/// makes that state again, the flip changes it again.
static bool flips_once_at(const bks_peer *peer, bks_tick tick)
{
    const bksi_flipped *flipped = &peer->flipped;
    const bks_tick final = bks_session_published(peer->session);
    return flipped->is_there ? flipped->tick == tick : final >= peer->flip.tick && tick > final;
}

static bool flips_at(const bks_peer *peer, bks_tick tick)
{
    const bksi_flip *flip = &peer->flip;
    return flip->tick != BKS_TICK_NONE &&
           (flip->is_once ? flips_once_at(peer, tick) : flip->tick == tick);
}

/// Enter a tick, whose state was just made: make a flip that is planted in this state, and tell the
/// listener.
static void enter(bks_peer *peer, bks_tick tick, const int32_t *inputs)
{
    if (flips_at(peer, tick)) {
        flip_bit(peer, tick);
    }
    if (peer->entered != NULL) {
        peer->entered(peer->entered_context, tick, inputs);
    }
}

/// Enter the first tick when it is hashed for the first time in the running match: only then is it
/// known that all peers start from the same state.
static void enter_first(bks_peer *peer, bks_tick tick)
{
    if (tick != peer->first_tick || bks_session_phase(peer->session) != BKS_PHASE_RUNNING ||
        peer->has_begun) {
        return;
    }
    peer->has_begun = true;
    enter(peer, tick, NULL);
    if (flips_at(peer, tick) && peer->is_recording) {
        bksi_recorder_stepped(&peer->recorder, peer->runner, tick);
    }
}

/// Make the state of the first tick, unless the peer was created with it. The host's options decide
/// if the game's states can be repaired, and the host's policy decides if they must be.
static bks_status restart(bks_peer *peer, const bks_op *op, const bks_option_values *options,
                          bks_error *error)
{
    bks_roster roster = {0};
    (void)bks_session_roster(peer->session, &roster);
    if (peer->has_first_state) {
        return BKS_OK;
    }
    bks_status status = bksi_runner_restart(peer->runner, op->seed, op->players, options, error);
    if (status != BKS_OK || roster.on_desync != BKS_ON_DESYNC_RESYNC) {
        return status;
    }
    status = bksi_repairable_check(peer->runner, peer->config.session.tuning.keep_ticks,
                                   &peer->config.session.allocator, error);
    // The check has saved and loaded the state of a game that keeps its own state, so make that
    // state anew.
    return status == BKS_OK && peer->config.game->create != NULL
               ? bksi_runner_restart(peer->runner, op->seed, op->players, options, error)
               : status;
}

static bks_status make_game(bks_peer *peer, const bks_op *op, bks_error *error)
{
    bks_option_values options;
    if (!bksi_setup_read(peer->config.game, op->setup, op->setup_bytes, &options)) {
        return bksi_fail(error, BKS_ERR_REFUSED, "bks_peer_update", "options",
                         "the host's options are not those of %s", peer->config.game->name);
    }
    BKSI_TRY(restart(peer, op, &options, error));
    BKSI_TRY(bksi_peer_fit_comparison(peer, error));
    BKSI_TRY(bksi_peer_fit_cues(peer, error));
    BKSI_TRY(bksi_pictures_fit(&peer->pictures, peer->runner, error));
    if (peer->config.start_state == NULL) {
        return !bksi_setup_has_state(op->setup, op->setup_bytes)
                   ? BKS_OK
                   : bksi_fail(error, BKS_ERR_REFUSED, "bks_peer_update", "start_state",
                               "the host's match begins with a state that is not here: set "
                               "start_state or use bks_match");
    }
    if (op->tick != peer->config.start_tick) {
        return bksi_fail(error, BKS_ERR_REFUSED, "bks_peer_update", "start_tick",
                         "the host's match begins at tick %d, start_state is that of tick %d",
                         (int)op->tick, (int)peer->config.start_tick);
    }
    bks_error why = {0};
    const bks_status status = bksi_runner_import(peer->runner, peer->config.start_state,
                                                 peer->config.start_state_bytes, &why);
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, "bks_peer_update", "start_state",
                                        "start_state: %s", why.text);
}

static void start_game(bks_peer *peer, const bks_op *op, bks_op_result *result)
{
    peer->first_tick = op->tick;
    if (peer->sync_test != NULL) {
        bksi_sync_test_forget(peer->sync_test);
    }
    peer->failure = make_game(peer, op, &peer->error);
    if (peer->cues != NULL) {
        bks_cues_reset(peer->cues, op->tick);
    }
    if (peer->failure != BKS_OK) {
        result->problem =
            peer->error.text[0] != '\0' ? peer->error.text : bks_status_text(peer->failure);
        return;
    }
    if (peer->config.record.write == NULL) {
        return;
    }
    peer->is_recording = true;
    bksi_recorder_config config = {
        .sink = peer->config.record,
        .detail = peer->config.record_detail,
        .build = peer->config.build,
        .window_ticks = bksi_session_unsettled_max(peer->session),
        .first_tick = op->tick,
        .session = peer->session,
        .allocator = peer->config.session.allocator,
    };
    bks_status recording = bksi_recorder_start(&peer->recorder, peer->runner, &config);
    if (recording != BKS_OK && recording != BKS_ERR_IO) { // the writer logs I/O errors
        bksi_log(BKS_LOG_ERROR, "peer.record", "there is no recording: %s",
                 bks_status_text(recording));
    }
}

bks_status bks_peer_command(bks_peer *peer, uint32_t local_player, const void *bytes, size_t count)
{
    BKSI_REFUSE_NULL(NULL, peer);
    BKSI_TRY(bks_session_command(peer->session, local_player, bytes, count));
    const bks_game *game = peer->config.game;
    if (game->on_command != NULL) {
        const bks_command command = {
            .player = first_seat(peer) + local_player, .bytes = bytes, .count = (uint32_t)count};
        game->on_command(bksi_runner_state(peer->runner), &command);
    }
    return BKS_OK;
}

/// Take a source's commands for a tick, as long as the player's queue has room for a command of the
/// largest size.
static void take_commands(bks_peer *peer, uint32_t local_player, const bks_source *source,
                          const bks_sample *wanted)
{
    const uint32_t most = peer->config.game->command_bytes_max;
    while (bksi_session_has_room_for(peer->session, local_player, most)) {
        const size_t count = source->command(source->context, wanted, peer->command, most);
        if (count == 0 || bks_peer_command(peer, local_player, peer->command, count) != BKS_OK) {
            return; // bks_session_command() has logged a refusal
        }
    }
}

static void sample(bks_peer *peer, const bks_op *op, bks_op_result *result)
{
    bks_roster roster;
    (void)bks_session_roster(peer->session, &roster);
    uint32_t seat = op->player - roster.first_player[roster.self];
    const bks_source *source = &peer->config.sources[seat];
    result->input = peer->held[seat];
    bks_sample wanted = {.tick = op->tick,
                         .player = op->player,
                         .state = bksi_runner_state(peer->runner),
                         .field_count = peer->layout.field_count};
    if (source->sample != NULL) {
        bksi_layout_neutral(&peer->layout, peer->sampled);
        source->sample(source->context, &wanted, peer->sampled);
        result->input = peer->sampled;
    }
    if (source->command != NULL && peer->command != NULL) {
        take_commands(peer, seat, source, &wanted);
    }
}

static bks_status step(bks_peer *peer, const bks_op *op)
{
    peer->has_stepped = true;
    if (peer->is_recording) {
        bksi_recorder_step(&peer->recorder, peer->session, op->tick);
    }
    if (peer->sync_test != NULL) {
        bksi_sync_test_begin(peer->sync_test, op->tick, op->inputs);
    }
    bksi_pictures_step(&peer->pictures, peer->runner, op->tick);
    uint64_t before_ns = clock_now(peer);
    bksi_runner_commands(peer->runner, op->commands);
    bks_status status = bksi_runner_step(peer->runner, op->tick, op->inputs);
    bksi_costs_add_game(&peer->costs, clock_now(peer) - before_ns);
    if (peer->sync_test != NULL) {
        status = test_step(peer, status);
    }
    if (status == BKS_OK) {
        enter(peer, op->tick + 1, op->inputs);
    }
    if (peer->is_recording && status == BKS_OK) {
        bksi_recorder_stepped(&peer->recorder, peer->runner, op->tick + 1);
    }
    return status;
}

static bks_status save(bks_peer *peer, const bks_op *op)
{
    size_t count = 0;
    const void *bytes =
        peer->lend != NULL ? peer->lend(peer->lend_context, op->tick, &count) : NULL;
    if (bytes != NULL) {
        bksi_runner_borrow(peer->runner, op->slot, bytes, count);
        return BKS_OK;
    }
    return bksi_runner_save(peer->runner, op->slot) > 0 ? BKS_OK : BKS_ERR_GAME;
}

static void note_load(bks_peer *peer)
{
    bksi_recorder_loaded(&peer->recorder);
    bksi_pictures_loaded(&peer->pictures);
    if (peer->sync_test != NULL) {
        bksi_sync_test_forget(peer->sync_test);
    }
}

/// Give listeners the state of a tick again, because their copy is from before the repair.
static void note_restored(bks_peer *peer, bks_tick tick, const bks_op_result *result)
{
    if (result->state_bytes > 0 && peer->entered != NULL) {
        peer->entered(peer->entered_context, tick, NULL);
    }
}

static void predict(bks_peer *peer, const bks_op *op, bks_op_result *result)
{
    memcpy(peer->sampled, op->guess, peer->layout.field_count * sizeof(int32_t));
    uint64_t before_ns = clock_now(peer);
    peer->config.game->predict(bksi_runner_state(peer->runner), op->player, op->tick, op->last_tick,
                               op->inputs, peer->sampled);
    bksi_costs_add_game(&peer->costs, clock_now(peer) - before_ns);
    result->input = peer->sampled;
}

/// Get the cost of an operation that ends now, in ns.
static uint64_t cost_of(bks_peer *peer, bks_op_kind kind)
{
    uint64_t begun_ns = peer->begun_ns;
    peer->begun_ns = clock_now(peer);
    if (peer->cost_ns != NULL) {
        return peer->cost_ns(peer->cost_context, kind, bksi_runner_used_bytes(peer->runner));
    }
    return peer->begun_ns > begun_ns ? peer->begun_ns - begun_ns : 0;
}

static const char *problem_of(const bks_peer *peer)
{
    const char *tested = peer->sync_test != NULL ? bksi_sync_test_problem(peer->sync_test) : NULL;
    return tested != NULL ? tested : bksi_runner_problem(peer->runner);
}

static void carry_out(bks_peer *peer, const bks_op *op)
{
    bks_op_result result = {0};
    uint64_t hashes[BKS_START_RANGES_MAX];
    bks_status status = BKS_OK;
    switch (op->kind) {
    case BKS_OP_START:
        start_game(peer, op, &result);
        result.slots = bksi_runner_slots(peer->runner);
        break;
    case BKS_OP_SAMPLE:
        sample(peer, op, &result);
        break;
    case BKS_OP_SAVE:
        status = save(peer, op);
        break;
    case BKS_OP_LOAD:
        note_load(peer);
        status = bksi_runner_load(peer->runner, op->slot);
        break;
    case BKS_OP_STEP:
        status = step(peer, op);
        break;
    case BKS_OP_HASH:
        enter_first(peer, op->tick);
        result.hash = bksi_runner_hash(peer->runner);
        result.is_kept = op->keep != BKS_KEEP_NONE && bksi_runner_keep(peer->runner, op->keep);
        break;
    case BKS_OP_RANGES:
        result.hash_count = bksi_start_parts_hash(peer->runner, hashes, BKS_START_RANGES_MAX);
        result.hashes = hashes;
        break;
    case BKS_OP_PREDICT:
        predict(peer, op, &result);
        break;
    case BKS_OP_PARTS:
    case BKS_OP_READ:
    case BKS_OP_NAME:
    case BKS_OP_WRITE:
        bksi_comparison_carry_out(&peer->comparison, peer->runner, op, &result);
        bksi_evidence_show(&peer->recorder.evidence, op);
        break;
    case BKS_OP_RESTORE:
        note_load(peer);
        bksi_comparison_restore(&peer->comparison, peer->runner, op, &result);
        note_restored(peer, op->tick, &result);
        break;
    case BKS_OP_CHECK:
        bksi_comparison_check(&peer->comparison, peer->runner, op, &result);
        break;
    }
    bksi_match_log_op(&peer->recorder.evidence.log, peer->session, op, &result);
    if (status != BKS_OK) {
        result.problem = problem_of(peer);
    }
    result.cost_ns = cost_of(peer, op->kind);
    bksi_costs_add_op(&peer->costs, &peer->again, op, result.cost_ns);
    status = bks_session_done(peer->session, op, &result);
    BKS_ASSERT(status == BKS_OK);
    (void)status;
}

// ---- update ----

static bks_status outcome(const bks_peer *peer)
{
    return peer->failure != BKS_OK ? peer->failure : bks_session_status(peer->session);
}

bks_status bks_peer_update(bks_peer *peer, uint64_t now_ns)
{
    BKSI_REFUSE_NULL(NULL, peer);
    uint64_t before_ns = peer->begun_ns = clock_now(peer);
    peer->has_stepped = false;
    BKSI_TRY(bks_session_update(peer->session, now_ns));
    bksi_match_log_update(&peer->recorder.evidence.log, peer->session, now_ns);
    bksi_awaited_state_update(peer);
    bks_op op;
    while (bks_session_next(peer->session, &op)) {
        carry_out(peer, &op);
    }
    if (peer->is_recording) {
        bksi_recorder_settle(&peer->recorder, peer->session, peer->runner);
    }
    if (peer->has_stepped) {
        bksi_costs_add_update(&peer->costs, clock_now(peer) - before_ns);
    }
    bks_status ended = outcome(peer);
    update_cues(peer, ended);
    update_pictures(peer);
    if ((ended == BKS_OVER || ended == BKS_ERR_DESYNC || ended == BKS_ERR_GAME) &&
        peer->is_recording) {
        bksi_recorder_finish(&peer->recorder, peer->session, peer->runner);
    }
    return ended;
}

bks_status bks_peer_receive(bks_peer *peer, uint64_t now_ns, const bks_address *from,
                            const void *bytes, size_t count)
{
    BKSI_REFUSE_NULL(NULL, peer);
    const bks_status status = bks_session_receive(peer->session, now_ns, from, bytes, count);
    bksi_match_log_came(&peer->recorder.evidence.log, peer->session, now_ns, count);
    return status;
}

size_t bks_peer_send(bks_peer *peer, bks_address *to, void *bytes, size_t capacity)
{
    BKSI_REFUSE_NULL_OR(0, peer);
    const size_t count = bks_session_send(peer->session, to, bytes, capacity);
    bksi_match_log_sent(&peer->recorder.evidence.log, peer->session, count);
    return count;
}

uint64_t bks_peer_wake(const bks_peer *peer)
{
    BKSI_REFUSE_NULL_OR(UINT64_MAX, peer);
    return bks_session_wake(peer->session);
}

bks_status bks_peer_input(bks_peer *peer, uint32_t local_player, const void *input,
                          bks_error *error)
{
    static const char call[] = "bks_peer_input";
    BKSI_REFUSE_NULL(error, peer);
    BKSI_REFUSE_NULL(error, input);
    uint32_t count = peer->config.session.local_players;
    if (local_player >= count) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "local_player",
                         "local_player is %u, must be 0..%u", local_player, count - 1);
    }
    // Only check the input: the session packs it when it samples it.
    BKSI_TRY(bksi_layout_check(&peer->layout, input, error));
    memcpy(peer->held[local_player], input, peer->layout.field_count * sizeof(int32_t));
    return BKS_OK;
}

const void *bks_peer_state(const bks_peer *peer)
{
    BKSI_REFUSE_NULL_OR(NULL, peer);
    return bksi_runner_state(peer->runner);
}

bks_session *bks_peer_session(bks_peer *peer)
{
    BKSI_REFUSE_NULL_OR(NULL, peer);
    return peer->session;
}

bool bks_peer_started(const bks_peer *peer)
{
    BKSI_REFUSE_NULL_OR(false, peer);
    return bks_session_published(peer->session) != BKS_TICK_NONE;
}

bks_status bks_peer_leave(bks_peer *peer)
{
    BKSI_REFUSE_NULL(NULL, peer);
    return bks_session_leave(peer->session);
}

bks_status bks_peer_note(bks_peer *peer, const char *text)
{
    BKSI_REFUSE_NULL(NULL, peer);
    BKSI_REFUSE_NULL(NULL, text);
    return bksi_recorder_note(peer->is_recording ? &peer->recorder : NULL,
                              bks_session_tick(peer->session), text);
}

bks_status bks_peer_costs(const bks_peer *peer, bks_costs *out)
{
    BKSI_REFUSE_NULL(NULL, peer);
    BKSI_REFUSE_NULL(NULL, out);
    *out = peer->costs;
    return BKS_OK;
}

bool bks_peer_sync_difference(const bks_peer *peer, bks_sync_difference *out)
{
    BKSI_REFUSE_NULL_OR(false, peer);
    BKSI_REFUSE_NULL_OR(false, out);
    const bks_sync_difference *found =
        peer->sync_test != NULL ? bksi_sync_test_difference(peer->sync_test) : NULL;
    if (found != NULL) {
        *out = *found;
    }
    return found != NULL;
}

void bksi_peer_flip(bks_peer *peer, const bksi_flip *flip)
{
    peer->flip = *flip;
}

bksi_flipped bksi_peer_flipped(const bks_peer *peer)
{
    return peer->flipped;
}

void bksi_peer_listen_ticks(bks_peer *peer, bksi_peer_entered entered, void *context)
{
    peer->entered = entered;
    peer->entered_context = context;
}

void bksi_peer_lend_states(bks_peer *peer, bksi_peer_lend lend, void *context)
{
    peer->lend = lend;
    peer->lend_context = context;
}

void bksi_peer_model_costs(bks_peer *peer, bksi_peer_cost cost_ns, void *context)
{
    peer->cost_ns = cost_ns;
    peer->cost_context = context;
}

void bksi_peer_close_recording(bks_peer *peer, bool is_killed)
{
    if (!peer->is_recording) {
        return;
    }
    if (is_killed) {
        bksi_recorder_abandon(&peer->recorder);
    } else {
        bksi_recorder_finish(&peer->recorder, peer->session, peer->runner);
    }
}

bksi_runner *bksi_peer_runner(bks_peer *peer)
{
    return peer->runner;
}
