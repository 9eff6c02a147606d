// SPDX-License-Identifier: MIT

#include "peer/recorder.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bits.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "replay/format/replay_event.h"
#include "replay/write/packed_writer.h"
#include "session/queries.h"

/// Ticks beyond a window that may be passed to the writer before they are final: the ticks of one
/// update, with some margin.
#define SPARE_TICKS 8u

static bks_status take_state(bksi_recorder *recorder, bksi_runner *runner,
                             bks_replay_config *config)
{
    recorder->state_bytes_max = bksi_runner_export_bytes_max(runner);
    recorder->pages_max = bksi_pages(recorder->state_bytes_max);
    recorder->state = bksi_alloc(&recorder->allocator, recorder->state_bytes_max, 64);
    recorder->page_hashes =
        bksi_alloc(&recorder->allocator, recorder->pages_max * sizeof(uint64_t), 64);
    if (recorder->state == NULL || recorder->page_hashes == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    config->state = recorder->state;
    config->state_bytes = bksi_runner_export(runner, recorder->state, recorder->state_bytes_max);
    config->state_bytes_max = recorder->state_bytes_max;
    recorder->has_pointers = bksi_runner_has_pointers(runner, recorder->state, config->state_bytes);
    config->pointers = recorder->has_pointers;
    config->page_hashes = recorder->page_hashes;
    config->page_count =
        bksi_runner_page_hashes(runner, recorder->page_hashes, recorder->pages_max);
    return BKS_OK;
}

static void drop_page_hashes(bksi_recorder *recorder)
{
    bksi_free(&recorder->allocator, recorder->page_hashes, recorder->pages_max * sizeof(uint64_t));
    recorder->page_hashes = NULL;
}

static void drop_state(bksi_recorder *recorder)
{
    bksi_free(&recorder->allocator, recorder->state, recorder->state_bytes_max);
    recorder->state = NULL;
}

bks_status bksi_recorder_start(bksi_recorder *recorder, bksi_runner *runner,
                               const bksi_recorder_config *from)
{
    const bks_start *start = bksi_runner_start(runner);
    memset(recorder, 0, sizeof(*recorder));
    recorder->allocator = from->allocator;
    recorder->first_tick = recorder->next = recorder->used = from->first_tick;
    recorder->next_commands = from->first_tick;
    uint32_t capacity_ticks = from->window_ticks + SPARE_TICKS;
    recorder->delay = UINT32_MAX;
    bks_replay_config config = {
        .game = start->game,
        .seed = start->seed,
        .players = start->players,
        .tick_rate_hz = start->tick_rate_hz,
        .options = *start->options,
        .build = from->build,
        .first_tick = from->first_tick,
        .unconfirmed_ticks_max = capacity_ticks,
        .detail = from->detail,
        .sink = from->sink,
        .allocator = from->allocator,
    };
    bks_status status = take_state(recorder, runner, &config);
    if (status == BKS_OK) {
        status = bksi_tick_samples_create(&recorder->samples, runner, &from->detail,
                                          capacity_ticks + 1, &from->allocator);
    }
    if (status == BKS_OK) {
        status =
            bksi_mark_samples_create(&recorder->marks, runner, &from->detail,
                                     recorder->has_pointers, capacity_ticks + 1, &from->allocator);
    }
    if (status == BKS_OK) {
        status = bksi_evidence_create(&recorder->evidence, from->session, start->tick_rate_hz,
                                      &from->allocator);
    }
    if (status == BKS_OK) {
        status = bks_replay_writer_create(&config, &recorder->writer, NULL);
    }
    if (status == BKS_OK) {
        status = bksi_writer_spare_rollbacks(recorder->writer);
    }
    drop_page_hashes(recorder);
    if (config.detail.keyframe_ticks == 0 || recorder->has_pointers) {
        drop_state(recorder);
    }
    if (status == BKS_OK) {
        bksi_tick_samples_take(&recorder->samples, runner, from->first_tick);
        bksi_mark_samples_take(&recorder->marks, from->first_tick);
    }
    return status;
}

void bksi_recorder_destroy(bksi_recorder *recorder)
{
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
    drop_state(recorder);
    bksi_evidence_destroy(&recorder->evidence);
    bksi_tick_samples_destroy(&recorder->samples, &recorder->allocator);
    bksi_mark_samples_destroy(&recorder->marks, &recorder->allocator);
}

/// End the recording if it cannot be written; the match continues.
static void check(bksi_recorder *recorder, bks_status status)
{
    if (status == BKS_OK) {
        return;
    }
    if (status != BKS_ERR_IO) { // the writer logged an I/O error itself
        bksi_log(BKS_LOG_ERROR, "peer.record", "the recording ends before tick %d: %s",
                 (int)recorder->next, bks_status_text(status));
    }
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
}

/// Record a rollback: all ticks from `tick` to the present are about to be stepped with the inputs
/// that the session has now. Pass the inputs of all these ticks to the writer at once, so that one
/// write is enough. A game that predicts by itself may use a different guess in a step: that guess
/// is written at the step, and does not count as another rollback.
static bks_status write_rollback(bksi_recorder *recorder, const bks_session *session, bks_tick tick)
{
    bks_replay_writer *writer = recorder->writer;
    bks_status status = BKS_OK;
    if (!recorder->is_rolling) {
        status = bksi_writer_keep_rollback(writer, recorder->used, tick);
    }
    recorder->is_rolling = true;
    const bks_tick end = recorder->used + (bksi_session_advances(session) ? 1 : 0);
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    for (bks_tick t = tick + 1; t < end; t++) {
        bksi_session_packed(session, t, packed);
        bksi_writer_use(writer, t, packed);
    }
    return status;
}

/// Write the commands of the ticks up to `tick` at which the inputs of all players are known.
static bks_status write_commands(bksi_recorder *recorder, const bks_session *session, bks_tick tick)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    for (; recorder->next_commands <= tick &&
           recorder->next_commands < bks_session_confirmed(session);
         recorder->next_commands++) {
        if (bksi_session_commands(session, recorder->next_commands, commands)) {
            BKSI_TRY(
                bks_replay_writer_commands(recorder->writer, recorder->next_commands, commands));
        }
    }
    return BKS_OK;
}

void bksi_recorder_loaded(bksi_recorder *recorder)
{
    recorder->is_rolling = false;
    bksi_mark_samples_loaded(&recorder->marks);
}

void bksi_recorder_step(bksi_recorder *recorder, const bks_session *session, bks_tick tick)
{
    bks_replay_writer *writer = recorder->writer;
    bksi_mark_samples_step(&recorder->marks, tick, writer != NULL && tick >= recorder->next);
    if (writer == NULL || tick < recorder->next) {
        return;
    }
    check(recorder, write_commands(recorder, session, tick));
    if (recorder->writer == NULL) {
        return;
    }
    const uint8_t *packed = bksi_session_step_packed(session);
    const bool was_stepped = tick < recorder->used;
    recorder->used = was_stepped ? recorder->used : tick + 1;
    if (bksi_writer_is_used(writer, tick, packed)) {
        return;
    }
    bks_status status = was_stepped ? write_rollback(recorder, session, tick) : BKS_OK;
    bksi_writer_use(writer, tick, packed);
    if (status == BKS_OK) {
        status = bksi_writer_commit(writer);
    }
    recorder->has_written = true;
    check(recorder, status);
}

void bksi_recorder_stepped(bksi_recorder *recorder, bksi_runner *runner, bks_tick tick)
{
    // Ignore final ticks, which are stepped again from an older snapshot. Their samples are already
    // kept or written, and ticks that are not final may use the same rows by now.
    if (recorder->writer != NULL && tick >= recorder->next) {
        bksi_tick_samples_take(&recorder->samples, runner, tick);
        bksi_mark_samples_take(&recorder->marks, tick);
    }
}

void bksi_recorder_fact(bksi_recorder *recorder, bks_tick tick, uint32_t question,
                        const void *bytes, size_t count)
{
    if (recorder->writer != NULL) {
        check(recorder, bks_replay_writer_fact(recorder->writer, tick, question, bytes, count));
    }
}

/// Pass on the confirmed inputs of the next final tick, even if other inputs were passed on
/// earlier.
static bks_status confirm_next(bksi_recorder *recorder, const bks_session *session)
{
    uint64_t hash = 0;
    bool has_hash = bks_session_hash(session, recorder->next, &hash) == BKS_OK;
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_session_packed(session, recorder->next, packed);
    const bks_tick tick = recorder->next++;
    BKSI_TRY(write_commands(recorder, session, tick));
    BKSI_TRY(bksi_tick_samples_give(&recorder->samples, tick, recorder->writer));
    // A state with raw pointers is not recorded. Pointers may be found only late in the match.
    if (!recorder->has_pointers) {
        BKSI_TRY(bksi_mark_samples_give(&recorder->marks, tick, recorder->writer));
    }
    return bksi_writer_confirm(recorder->writer, packed, has_hash ? &hash : NULL);
}

/// Write a keyframe, unless a reader could not use its state.
static bks_status write_keyframe(bksi_recorder *recorder, bksi_runner *runner, bks_tick tick,
                                 const void *state, size_t count)
{
    // Remember pointers once found: a later state without an address in it may still hold others.
    recorder->has_pointers =
        recorder->has_pointers || bksi_runner_has_pointers(runner, state, count);
    return recorder->has_pointers
               ? BKS_OK
               : bks_replay_writer_keyframe(recorder->writer, tick, state, count);
}

static bool has_failed(const bks_session *session)
{
    return bks_session_status(session) == BKS_ERR_GAME;
}

/// Pass on the state of a tick for which a keyframe is due, if the state is present or in a slot.
/// No step is made for a keyframe.
static bks_status offer_keyframe(bksi_recorder *recorder, const bks_session *session,
                                 bksi_runner *runner)
{
    bks_tick due = bks_replay_writer_keyframe_due(recorder->writer);
    if (due == BKS_TICK_NONE || recorder->has_pointers || has_failed(session)) {
        return BKS_OK;
    }
    if (bks_session_tick(session) == recorder->next) {
        size_t count = bksi_runner_export(runner, recorder->state, recorder->state_bytes_max);
        return count > 0 ? write_keyframe(recorder, runner, recorder->next, recorder->state, count)
                         : BKS_OK;
    }
    bks_tick tick = 0;
    int32_t slot = bksi_session_slot(session, due, recorder->next, &tick);
    size_t count = 0;
    const void *bytes = slot >= 0 ? bksi_runner_slot(runner, (uint32_t)slot, &count) : NULL;
    return bytes != NULL ? write_keyframe(recorder, runner, tick, bytes, count) : BKS_OK;
}

/// Convert an event of the session to one of the recording, if it belongs there.
static bool translate(const bks_event *event, bks_tick first_tick, bks_replay_event *out)
{
    const bks_tick tick = event->tick > first_tick ? event->tick : first_tick;
    *out = (bks_replay_event){.tick = tick, .peer = event->peer};
    switch (event->kind) {
    case BKS_EVENT_LEFT:
        out->kind = BKS_REPLAY_LEFT;
        return event->tick != BKS_TICK_NONE; // else the peer left the lobby and may join again
    case BKS_EVENT_DESYNC:
        out->kind = BKS_REPLAY_DESYNC;
        out->a = event->own_hash;
        out->b = event->peer_hash;
        return true;
    default:
        return false;
    }
}

/// Find the hashes of another peer's right states, as far as it sent them, for the ticks that were
/// recorded with our wrong states.
static void find_agreed(const bks_session *session, bks_replay_repair *repair,
                        bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX])
{
    for (bks_tick tick = repair->since;
         tick < repair->until && repair->agreed_count < BKS_REPLAY_AGREED_MAX; tick++) {
        uint64_t hash = 0;
        if (bksi_session_hash_of(session, repair->from, tick, &hash)) {
            agreed[repair->agreed_count++] = (bks_replay_agreed){tick, hash};
        }
    }
}

/// Set the range of our own ticks whose recorded states may be from before the repair. The range
/// may be larger than the wrong part.
static void find_written(bksi_recorder *recorder, bks_replay_repair *repair)
{
    repair->since = repair->since > recorder->wrong_since ? repair->since : recorder->wrong_since;
    repair->until = recorder->next > repair->since ? recorder->next : repair->since;
    recorder->wrong_since = repair->since;
}

/// Write a repair, the range of our own states that were recorded before the repair, and the right
/// hashes of these ticks if other peers sent them.
/// @return BKS_OK, BKS_ERR_IO, BKS_ERR_BAD_ARGUMENT
static bks_status recorder_repaired(bksi_recorder *recorder, const bks_session *session,
                                    const bks_repair *from)
{
    bks_roster roster = {0};
    if (from->since >= from->tick) {
        return BKS_OK; // the state was repaired before a wrong tick was recorded
    }
    (void)bks_session_roster(session, &roster);
    bks_replay_repair repair = {.peer = from->peer,
                                .from = from->from,
                                .bytes = from->bytes,
                                .since = from->since,
                                .tick = from->tick,
                                .until = from->since};
    bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
    if (from->peer == roster.self) {
        find_written(recorder, &repair);
        find_agreed(session, &repair, agreed);
    }
    return bks_replay_writer_repair(recorder->writer, &repair, agreed);
}

/// Write the repair that an event reports.
static bks_status record_repair(bksi_recorder *recorder, const bks_session *session,
                                const bks_event *event)
{
    bks_repair repairs[BKS_REPAIRS_MAX];
    for (uint32_t i = bks_session_repairs(session, repairs, BKS_REPAIRS_MAX); i-- > 0;) {
        if (repairs[i].peer == event->peer && repairs[i].tick == event->tick) {
            return recorder_repaired(recorder, session, &repairs[i]);
        }
    }
    return BKS_OK;
}

/// Write the peers at the beginning of the match, because no peer joins later.
static bks_status record_peers(bksi_recorder *recorder, const bks_session *session)
{
    bks_status status = BKS_OK;
    for (uint32_t left = bksi_session_peers(session); left != 0 && status == BKS_OK;
         left &= left - 1) {
        bks_replay_event event = {
            .kind = BKS_REPLAY_JOINED, .tick = recorder->first_tick, .peer = bksi_lowest_bit(left)};
        status = bks_replay_writer_event(recorder->writer, &event);
    }
    return status;
}

static bks_status record_events(bksi_recorder *recorder, const bks_session *session)
{
    bool is_first = recorder->delay == UINT32_MAX;
    bks_status status = is_first ? record_peers(recorder, session) : BKS_OK;
    bks_event event;
    bks_replay_event recorded;
    while (status == BKS_OK && bksi_session_event_after(session, &recorder->events, &event)) {
        if (event.kind == BKS_EVENT_REPAIRED) {
            status = record_repair(recorder, session, &event);
        } else if (translate(&event, recorder->first_tick, &recorded)) {
            status = bks_replay_writer_event(recorder->writer, &recorded);
        }
    }
    uint32_t delay = bksi_session_delay(session);
    if (status != BKS_OK || delay == recorder->delay) {
        return status;
    }
    recorded = (bks_replay_event){.kind = BKS_REPLAY_DELAY,
                                  .tick = bks_session_tick(session),
                                  .a = is_first ? delay : recorder->delay,
                                  .b = delay};
    recorder->delay = delay;
    return bks_replay_writer_event(recorder->writer, &recorded);
}

static bks_tick final_ticks(const bks_session *session)
{
    if (!bksi_mutated(BKSI_MUTANT_CLOSING)) {
        return bksi_session_settled(session);
    }
    const bks_tick confirmed = bks_session_confirmed(session);
    const bks_tick stepped = bks_session_tick(session);
    return confirmed < stepped ? confirmed : stepped;
}

static bks_status settle(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner)
{
    const bks_tick final = final_ticks(session);
    BKSI_TRY(bks_replay_writer_step_cost(recorder->writer, bksi_session_step_ns(session)));
    while (recorder->next < final) {
        BKSI_TRY(confirm_next(recorder, session));
    }
    BKSI_TRY(offer_keyframe(recorder, session, runner));
    BKSI_TRY(record_events(recorder, session));
    BKSI_TRY(bksi_evidence_settle(&recorder->evidence, recorder->writer, session, runner, false,
                                  recorder->has_pointers));
    // If this update wrote a step, the ticks confirmed above can wait for the commit of the next
    // step. Otherwise commit them now, because the next step may be far away.
    return recorder->has_written ? BKS_OK : bksi_writer_commit(recorder->writer);
}

void bksi_recorder_settle(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner)
{
    if (recorder->writer != NULL) {
        const bks_status status = settle(recorder, session, runner);
        recorder->has_written = false;
        check(recorder, status);
    }
}

bks_status bksi_recorder_note(bksi_recorder *recorder, bks_tick tick, const char *text)
{
    bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = tick};
    size_t length = strlen(text);
    if (length >= sizeof(event.text)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "peer.note", "text",
                         "text has %zu bytes, must have 0..%zu", length, sizeof(event.text) - 1);
    }
    memcpy(event.text, text, length);
    if (recorder == NULL || recorder->writer == NULL) {
        event.tick = 0; // a note before the first tick has tick 0
        return bksi_event_check(&event, "peer.note");
    }
    bks_status status = bks_replay_writer_event(recorder->writer, &event);
    if (status == BKS_ERR_BAD_ARGUMENT) {
        return status;
    }
    check(recorder, status);
    return BKS_OK;
}

/// Return true if the match ended with the last tick of the recording: at its set length or, if it
/// has no length, once all other peers have left.
static bool is_at_end(const bksi_recorder *recorder, const bks_session *session)
{
    bks_roster roster;
    if (bks_session_roster(session, &roster) != BKS_OK || has_failed(session)) {
        return false;
    }
    if (roster.ticks > 0) {
        return recorder->next == roster.first_tick + roster.ticks;
    }
    for (uint32_t i = 0; i < roster.peers; i++) {
        if (i != roster.self && roster.is_in[i]) {
            return false;
        }
    }
    return bks_session_phase(session) != BKS_PHASE_FAILED;
}

/// Write the reason why the recording ends before the match.
static bks_status write_closing(bksi_recorder *recorder, const bks_session *session)
{
    static const char *const texts[] = {
        [BKS_CLOSED_QUIT] = "the program ended here, the match did not",
        [BKS_CLOSED_LEFT] = "the recording peer left here, by goodbye",
        [BKS_CLOSED_DROPPED] = "the others went on without the recording peer",
        [BKS_CLOSED_FAILED] = "the game could not go on",
        [BKS_CLOSED_STOPPED] = "the states of peers differed, and the match stopped for all",
    };
    bks_roster roster = {0};
    (void)bks_session_roster(session, &roster);
    const bks_phase phase = bks_session_phase(session);
    const bks_replay_closed why = bksi_session_has_stopped(session) ? BKS_CLOSED_STOPPED
                                  : has_failed(session)             ? BKS_CLOSED_FAILED
                                  : phase == BKS_PHASE_FAILED       ? BKS_CLOSED_DROPPED
                                  : phase == BKS_PHASE_ENDED        ? BKS_CLOSED_LEFT
                                                                    : BKS_CLOSED_QUIT;
    bks_replay_event event = {
        .kind = BKS_REPLAY_CLOSED, .tick = recorder->next, .peer = roster.self, .a = (uint64_t)why};
    memcpy(event.text, texts[why], strlen(texts[why]));
    if (why == BKS_CLOSED_FAILED) {
        (void)snprintf(event.text, sizeof(event.text), "%s: %s", texts[why],
                       bksi_session_problem(session));
    }
    return bks_replay_writer_event(recorder->writer, &event);
}

void bksi_recorder_finish(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner)
{
    bksi_recorder_settle(recorder, session, runner);
    if (recorder->writer == NULL) {
        return;
    }
    bksi_mark_samples_finish(&recorder->marks, recorder->first_tick, recorder->next);
    uint64_t hash = 0;
    bool has_hash = bks_session_hash(session, recorder->next, &hash) == BKS_OK;
    const bool is_whole = !bksi_session_has_stopped(session) && is_at_end(recorder, session);
    bks_status status = bksi_evidence_settle(&recorder->evidence, recorder->writer, session, runner,
                                             true, recorder->has_pointers);
    if (status == BKS_OK && !is_whole) {
        status = write_closing(recorder, session);
    }
    if (status == BKS_OK) {
        status = bks_replay_writer_finish(recorder->writer, has_hash ? &hash : NULL);
    }
    check(recorder, status);
    bksi_recorder_abandon(recorder);
}

void bksi_recorder_abandon(bksi_recorder *recorder)
{
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
}
