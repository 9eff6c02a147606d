// SPDX-License-Identifier: MIT

#include "peer/recorder.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "session/events.h"

/// Ticks told and not final: a window, the ticks of one update, and a little room.
#define SPARE_TICKS 8u

static bks_status take_state(bksi_recorder *recorder, bksi_runner *runner,
                             bks_replay_config *config)
{
    recorder->state_bytes_max = bksi_runner_export_bytes_max(runner);
    recorder->pages_max = bksi_pages(recorder->state_bytes_max);
    recorder->state = bksi_alloc(&recorder->allocator, recorder->state_bytes_max, 64);
    recorder->page_hashes =
        bksi_alloc(&recorder->allocator, recorder->pages_max * sizeof(uint64_t), 64);
    if (recorder->state == NULL || recorder->page_hashes == NULL)
        return BKS_ERR_OUT_OF_MEMORY;
    config->state = recorder->state;
    config->state_bytes = bksi_runner_export(runner, recorder->state, recorder->state_bytes_max);
    config->state_bytes_max = recorder->state_bytes_max;
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
    recorder->first_tick = from->first_tick;
    recorder->keeps_rollbacks = from->detail.rollbacks;
    recorder->capacity_ticks = from->window_ticks + SPARE_TICKS;
    recorder->values = (size_t)start->players * start->game->field_count;
    recorder->delay = UINT32_MAX;
    bksi_kept_clear(&recorder->kept);
    recorder->inputs = bksi_alloc(
        &from->allocator, recorder->capacity_ticks * recorder->values * sizeof(int32_t), 64);
    if (recorder->inputs == NULL)
        return BKS_ERR_OUT_OF_MEMORY;
    bks_replay_config config = {
        .game = start->game,
        .seed = start->seed,
        .players = start->players,
        .tick_rate_hz = start->tick_rate_hz,
        .options = *start->options,
        .build = from->build,
        .first_tick = from->first_tick,
        .unconfirmed_ticks_max = recorder->capacity_ticks,
        .detail = from->detail,
        .sink = from->sink,
        .allocator = from->allocator,
    };
    bks_status status = take_state(recorder, runner, &config);
    if (status == BKS_OK)
        status = bksi_tick_rows_create(&recorder->rows, runner, &from->detail,
                                       recorder->capacity_ticks + 1, &from->allocator);
    if (status == BKS_OK)
        status = bks_replay_writer_create(&config, &recorder->writer, NULL);
    drop_page_hashes(recorder);
    if (config.detail.keyframe_ticks == 0)
        drop_state(recorder);
    if (status == BKS_OK)
        bksi_tick_rows_take(&recorder->rows, runner, 0);
    return status;
}

void bksi_recorder_destroy(bksi_recorder *recorder)
{
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
    drop_state(recorder);
    bksi_tick_rows_destroy(&recorder->rows, &recorder->allocator);
    bksi_free(&recorder->allocator, recorder->inputs,
              recorder->capacity_ticks * recorder->values * sizeof(int32_t));
    recorder->inputs = NULL;
}

/// A recording that cannot be written ends there; the match goes on.
static void check(bksi_recorder *recorder, bks_status status)
{
    if (status == BKS_OK)
        return;
    if (status != BKS_ERR_IO) // the writer told
        bksi_log(BKS_LOG_ERROR, "peer.record", "the recording ends before tick %d: %s",
                 (int)(recorder->first_tick + recorder->next), bks_status_text(status));
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
}

static bool is_told(const bksi_recorder *recorder, bks_tick tick, const int32_t *inputs)
{
    if (tick >= recorder->used)
        return false;
    const int32_t *told = recorder->inputs + (size_t)(tick - recorder->next) * recorder->values;
    return memcmp(told, inputs, recorder->values * sizeof(int32_t)) == 0;
}

/// A tick that was stepped before is stepped with something else now: all from there to the present
/// had been stepped with guesses that are of no use.
static bks_status tell_rollback(bksi_recorder *recorder, bks_tick tick)
{
    if (!recorder->keeps_rollbacks || tick >= recorder->used)
        return BKS_OK;
    return bks_replay_writer_rollback(
        recorder->writer, recorder->first_tick + recorder->used, recorder->first_tick + tick,
        recorder->inputs + (size_t)(tick - recorder->next) * recorder->values);
}

void bksi_recorder_step(bksi_recorder *recorder, const bks_session *session, bks_tick tick,
                        const int32_t *inputs)
{
    if (recorder->writer == NULL || tick < recorder->next || is_told(recorder, tick, inputs))
        return;
    bks_status status = tell_rollback(recorder, tick);
    bks_tick end = tick + 1 > recorder->used ? tick + 1 : recorder->used;
    for (bks_tick t = recorder->next; status == BKS_OK && t < end; t++)
        status = bks_session_inputs(
            session, t, recorder->inputs + (size_t)(t - recorder->next) * recorder->values);
    recorder->used = end;
    // A game that guesses by itself may guess otherwise than the session.
    memcpy(recorder->inputs + (size_t)(tick - recorder->next) * recorder->values, inputs,
           recorder->values * sizeof(int32_t));
    if (status == BKS_OK)
        status = bks_replay_writer_use(recorder->writer, recorder->first_tick + recorder->next,
                                       (uint32_t)(end - recorder->next), recorder->inputs);
    check(recorder, status);
}

void bksi_recorder_stepped(bksi_recorder *recorder, bksi_runner *runner, bks_tick tick)
{
    if (recorder->writer != NULL)
        bksi_tick_rows_take(&recorder->rows, runner, tick);
}

void bksi_recorder_fact(bksi_recorder *recorder, bks_tick tick, uint32_t question,
                        const void *bytes, size_t count)
{
    if (recorder->writer != NULL)
        check(recorder, bks_replay_writer_fact(recorder->writer, tick, question, bytes, count));
}

/// The first tick of those told is final: pass it on and move the others down.
static bks_status confirm_next(bksi_recorder *recorder, const bks_session *session)
{
    uint64_t hash = 0;
    bool has_hash = bks_session_hash(session, recorder->next, &hash) == BKS_OK;
    bks_tick tick = recorder->first_tick + recorder->next;
    bks_status status =
        bksi_tick_rows_give(&recorder->rows, recorder->next, recorder->writer, tick);
    if (status == BKS_OK)
        status = bks_replay_writer_confirm(recorder->writer, tick, recorder->inputs,
                                           has_hash ? &hash : NULL);
    size_t left = (size_t)(recorder->used - recorder->next - 1) * recorder->values;
    memmove(recorder->inputs, recorder->inputs + recorder->values, left * sizeof(int32_t));
    recorder->next++;
    return status;
}

/// Hand over the state of a tick that is wanted, if it lies somewhere: as it is now, or in a slot.
/// Nothing is stepped for it.
static bks_status offer_keyframe(bksi_recorder *recorder, const bks_session *session,
                                 bksi_runner *runner)
{
    bks_tick first = recorder->first_tick;
    bks_tick due = bks_replay_writer_keyframe_due(recorder->writer);
    if (due == BKS_TICK_NONE)
        return BKS_OK;
    if (bks_session_tick(session) == recorder->next) {
        size_t count = bksi_runner_export(runner, recorder->state, recorder->state_bytes_max);
        return count > 0 ? bks_replay_writer_keyframe(recorder->writer, first + recorder->next,
                                                      recorder->state, count)
                         : BKS_OK;
    }
    uint32_t slot = bksi_kept_newest(&recorder->kept, due - first, recorder->next);
    size_t count = 0;
    const void *bytes = slot < BKS_SLOTS_MAX ? bksi_runner_slot(runner, slot, &count) : NULL;
    return bytes != NULL ? bks_replay_writer_keyframe(
                               recorder->writer, first + recorder->kept.ticks[slot], bytes, count)
                         : BKS_OK;
}

/// What a session tells, as far as it belongs into a recording.
static bool translate(const bks_event *event, bks_replay_event *out)
{
    *out = (bks_replay_event){.tick = event->tick > 0 ? event->tick : 0, .peer = event->peer};
    switch (event->kind) {
    case BKS_EVENT_LEFT:
        out->kind = BKS_REPLAY_LEFT;
        return true;
    case BKS_EVENT_DESYNC:
        out->kind = BKS_REPLAY_DESYNC;
        out->a = event->own_hash;
        out->b = event->peer_hash;
        return true;
    default:
        return false;
    }
}

/// Who is in the match when it begins, and nobody joins later.
static bks_status tell_peers(bksi_recorder *recorder, const bks_session *session)
{
    bks_status status = BKS_OK;
    for (uint32_t peer = 0; status == BKS_OK && peer < bksi_session_peer_count(session); peer++) {
        bks_replay_event event = {
            .kind = BKS_REPLAY_JOINED, .tick = recorder->first_tick, .peer = peer};
        status = bks_replay_writer_event(recorder->writer, &event);
    }
    return status;
}

static bks_status tell_events(bksi_recorder *recorder, const bks_session *session)
{
    bool is_first = recorder->delay == UINT32_MAX;
    bks_status status = is_first ? tell_peers(recorder, session) : BKS_OK;
    bks_event event;
    bks_replay_event told;
    while (status == BKS_OK && bksi_session_event_after(session, &recorder->events, &event))
        if (translate(&event, &told)) {
            told.tick += recorder->first_tick;
            status = bks_replay_writer_event(recorder->writer, &told);
        }
    uint32_t delay = bksi_session_delay(session);
    if (status != BKS_OK || delay == recorder->delay)
        return status;
    told = (bks_replay_event){.kind = BKS_REPLAY_DELAY,
                              .tick = recorder->first_tick + bks_session_tick(session),
                              .a = is_first ? delay : recorder->delay,
                              .b = delay};
    recorder->delay = delay;
    return bks_replay_writer_event(recorder->writer, &told);
}

void bksi_recorder_settle(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner)
{
    if (recorder->writer == NULL)
        return;
    bks_tick final = bks_session_confirmed(session);
    bks_tick stepped = bks_session_tick(session);
    final = final < stepped ? final : stepped;
    bks_tick before = recorder->next;
    bks_status status = BKS_OK;
    while (status == BKS_OK && recorder->next < final)
        status = confirm_next(recorder, session);
    if (status == BKS_OK)
        status = offer_keyframe(recorder, session, runner);
    if (status == BKS_OK)
        status = tell_events(recorder, session);
    if (status == BKS_OK && recorder->next > before)
        status = bks_replay_writer_flush(recorder->writer);
    check(recorder, status);
}

bks_status bksi_recorder_note(bksi_recorder *recorder, bks_tick tick, const char *text)
{
    bks_replay_event event = {.kind = BKS_REPLAY_NOTE, .tick = recorder->first_tick + tick};
    size_t length = strlen(text);
    if (length >= sizeof(event.text))
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "peer.note", "text",
                         "text has %zu bytes, must have 0..%zu", length, sizeof(event.text) - 1);
    memcpy(event.text, text, length);
    if (recorder->writer == NULL)
        return BKS_OK;
    bks_status status = bks_replay_writer_event(recorder->writer, &event);
    if (status == BKS_ERR_BAD_ARGUMENT)
        return status;
    check(recorder, status);
    return BKS_OK;
}

void bksi_recorder_finish(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner)
{
    bksi_recorder_settle(recorder, session, runner);
    if (recorder->writer == NULL)
        return;
    uint64_t hash = 0;
    bool has_hash = bks_session_hash(session, recorder->next, &hash) == BKS_OK;
    check(recorder, bks_replay_writer_finish(recorder->writer, has_hash ? &hash : NULL));
    bks_replay_writer_destroy(recorder->writer);
    recorder->writer = NULL;
}
