// SPDX-License-Identifier: MIT

#include "feed/feed_tape.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "feed/feed_wire.h"
#include "replay/format/replay_commands.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_tail.h"
#include "replay/write/packed_writer.h"
#include "session/queries.h"

/// Chunks in a second: a watcher gets a tick at most this part of a second after it is settled.
#define CHUNKS_A_SECOND 10u

/// Ticks beside a window that a recording waits at most for a state with which the next can begin.
/// The only snapshot of the save policy `one` is a window behind the newest tick.
#define BACK_TICKS 32

/// Seconds by which a watcher may be ahead of this machine when it wants to read on.
#define AHEAD_SECONDS 10

/// Room for the records of a match that is watched by history.
#define HISTORY_BYTES ((size_t)4 << 20)

/// Bytes that a writer takes at most.
#define WRITER_BYTES_PLENTY ((size_t)8 << 20)

static const char id[] = "feed.record";

// ---- memory of the writer ----

static void *room_alloc(void *context, size_t bytes, size_t alignment)
{
    bksi_feed_room *room = context;
    const size_t at = (room->used + alignment - 1) / alignment * alignment;
    if (bytes > SIZE_MAX / 2 || at > room->count || bytes > room->count - at) {
        return NULL;
    }
    room->used = at + bytes;
    room->most = room->used > room->most ? room->used : room->most;
    return room->bytes + at;
}

static void room_release(void *context, void *memory, size_t bytes)
{
    bksi_feed_room *room = context;
    if ((uint8_t *)memory + bytes == room->bytes + room->used) {
        room->used -= bytes; // the newest bytes can be given out again at once
    }
}

// ---- what the writer writes ----

/// Read which ticks a record has.
/// @return false if it is no TICK record; nothing is written then
static bool read_ticks(const uint8_t *bytes, size_t count, bks_tick *first, bks_tick *end)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint32_t type = bksi_read_u32(&reader);
    if (type != BKSI_RECORD_TICKS) {
        return false;
    }
    (void)bksi_read_bytes(&reader, BKSI_RECORD_HEAD_BYTES - sizeof(type));
    *first = (bks_tick)bksi_read_varint(&reader);
    *end = *first + (bks_tick)bksi_read_varint(&reader);
    return !reader.failed;
}

/// Put a record into the ring.
/// @return false if the ring has no room for it
static bool put_record(bksi_feed_tape *tape, const uint8_t *bytes, size_t count)
{
    bks_tick first = 0;
    const bool is_chunk = read_ticks(bytes, count, &first, &tape->end);
    const bool is_put = bksi_feed_ring_put(&tape->ring, tape->now_ns, bytes, count);
    if (is_chunk) {
        tape->after = (bksi_feed_cursor){.place = tape->ring.end};
    }
    return is_put;
}

/// Keep the beginning of a recording, and put later records into the ring.
static bks_status take_bytes(void *context, uint64_t offset, const void *bytes, size_t count)
{
    bksi_feed_tape *tape = context;
    if (!tape->is_beginning) {
        // An index has offsets in a file. Watchers have files of their own.
        if (count >= BKSI_RECORD_HEAD_BYTES && bksi_get_u32(bytes) == BKSI_RECORD_INDEX) {
            return BKS_OK;
        }
        return put_record(tape, bytes, count) ? BKS_OK : BKS_ERR_IO;
    }
    const bool is_kept =
        tape->is_by_history
            ? bksi_feed_beginning_keep(&tape->beginning, bytes, count, tape->now_ns)
            : offset == 0 && bksi_feed_beginning_front(&tape->beginning, bytes, count);
    return is_kept ? BKS_OK : BKS_ERR_IO;
}

static void drop_writer(bksi_feed_tape *tape)
{
    bks_replay_writer_destroy(tape->writer);
    tape->writer = NULL;
    tape->room.used = 0;
}

/// Begin a recording at a tick. The writer gets one byte in place of the state, which is packed
/// apart, in slices, or none by history.
static bks_status begin_writer(bksi_feed_tape *tape, const bks_start *start, bks_tick tick)
{
    const uint32_t chunk_ticks = start->tick_rate_hz / CHUNKS_A_SECOND;
    const bks_replay_config config = {
        .game = start->game,
        .seed = start->seed,
        .players = start->players,
        .tick_rate_hz = start->tick_rate_hz,
        .first_tick = tick,
        .options = *start->options,
        .build = tape->build,
        .unconfirmed_ticks_max = 1,
        .pointers = tape->is_by_history,
        .state = "",
        .state_bytes = 1,
        .detail = {.chunk_ticks = chunk_ticks > 0 ? chunk_ticks : 1},
        .sink = {.write = take_bytes, .context = tape},
        .allocator = {.alloc = room_alloc, .release = room_release, .context = &tape->room},
    };
    tape->is_beginning = true;
    const bks_status status = bks_replay_writer_create(&config, &tape->writer, NULL);
    tape->is_beginning = false;
    if (status == BKS_OK) {
        bksi_writer_code_plainly(tape->writer);
        tape->made_ns = tape->now_ns;
        tape->records = (bksi_feed_cursor){.place = tape->ring.end};
        tape->next = bksi_mutated(BKSI_MUTANT_FEED_SKIPS) ? tick + 1 : tick;
        tape->begun = tick;
        tape->end = tick;
        tape->tick_rate_hz = start->tick_rate_hz;
    } else {
        tape->room.used = 0;
    }
    return status;
}

// ---- set-up ----

/// Find out how much memory a writer takes, by making one that begins at a tick, and allocate it.
static bks_status take_room(bksi_feed_tape *tape, const bks_start *start, bks_tick tick)
{
    tape->room.bytes = bksi_alloc(&tape->allocator, WRITER_BYTES_PLENTY, 64);
    tape->room.count = tape->room.bytes != NULL ? WRITER_BYTES_PLENTY : 0;
    const bks_status status =
        tape->room.bytes != NULL ? begin_writer(tape, start, tick) : BKS_ERR_OUT_OF_MEMORY;
    drop_writer(tape);
    bksi_free(&tape->allocator, tape->room.bytes, tape->room.count);
    tape->room = (bksi_feed_room){.count = tape->room.most};
    tape->room.bytes = status == BKS_OK ? bksi_alloc(&tape->allocator, tape->room.count, 64) : NULL;
    return status == BKS_OK && tape->room.bytes == NULL ? BKS_ERR_OUT_OF_MEMORY : status;
}

static bks_status take_memory(bksi_feed_tape *tape, bksi_runner *runner, size_t state_bytes_max,
                              size_t ring_bytes)
{
    const bks_start *start = bksi_runner_start(runner);
    // Beside the commands of one tick, of any size, the ring holds as much as without commands.
    const size_t commands_bytes =
        start->game->command_bytes_max > 0 ? bksi_commands_record_bytes_max(start->players) : 0;
    BKSI_TRY(bksi_feed_beginning_create(&tape->beginning, state_bytes_max, &tape->allocator));
    BKSI_TRY(bksi_feed_ring_create(&tape->ring, ring_bytes + commands_bytes, &tape->allocator));
    return take_room(tape, start, 0);
}

static void begin(bksi_feed_tape *tape, const bksi_feed_tape_config *config)
{
    memset(tape, 0, sizeof(*tape));
    tape->allocator = config->allocator;
    (void)snprintf(tape->build, sizeof(tape->build), "%s",
                   config->build != NULL ? config->build : "");
}

bks_status bksi_feed_tape_create(bksi_feed_tape *tape, bksi_runner *runner,
                                 const bksi_feed_tape_config *config)
{
    begin(tape, config);
    const size_t state_bytes_max = bksi_runner_export_bytes_max(runner);
    tape->is_by_history = bksi_runner_start(runner)->game->pointers ||
                          bksi_runner_points_to_itself(runner) ||
                          state_bytes_max > BKSI_FEED_STATE_BYTES_MAX;
    const bks_status status = tape->is_by_history
                                  ? take_memory(tape, runner, 1, HISTORY_BYTES + config->ring_bytes)
                                  : take_memory(tape, runner, state_bytes_max, config->ring_bytes);
    if (status != BKS_OK) {
        bksi_feed_tape_destroy(tape);
    }
    return status;
}

bks_status bksi_feed_tape_create_still(bksi_feed_tape *tape, const bks_start *start, bks_tick tick,
                                       const void *state, size_t state_bytes,
                                       const bksi_feed_tape_config *config)
{
    begin(tape, config);
    tape->is_finished = true;
    bks_status status = bksi_feed_beginning_create(&tape->beginning, state_bytes, &tape->allocator);
    if (status == BKS_OK) {
        status = take_room(tape, start, tick); // writes the beginning's front
    }
    if (status != BKS_OK) {
        bksi_feed_tape_destroy(tape);
        return status;
    }
    bksi_feed_beginning_start(&tape->beginning, state, state_bytes);
    while (tape->beginning.is_packing) {
        bksi_feed_beginning_go_on(&tape->beginning, 0);
    }
    return BKS_OK;
}

bks_status bksi_feed_tape_create_passing(bksi_feed_tape *tape, const uint8_t *bytes, size_t count,
                                         size_t state_bytes_max,
                                         const bksi_feed_tape_config *config)
{
    begin(tape, config);
    if (state_bytes_max > BKSI_FEED_STATE_BYTES_MAX) {
        return BKS_ERR_UNSUPPORTED;
    }
    tape->is_passing = true;
    tape->is_by_history = state_bytes_max == 0;
    const size_t ring_bytes = config->ring_bytes + (tape->is_by_history ? HISTORY_BYTES : 0);
    bks_status status = bksi_feed_beginning_create(
        &tape->beginning, tape->is_by_history ? 1 : state_bytes_max, &tape->allocator);
    if (status == BKS_OK) {
        status = bksi_feed_ring_create(&tape->ring, ring_bytes, &tape->allocator);
    }
    if (status == BKS_OK && !bksi_feed_beginning_front(&tape->beginning, bytes, count)) {
        status = BKS_ERR_DAMAGED;
    }
    if (status == BKS_OK && tape->is_by_history &&
        !bksi_feed_beginning_keep(&tape->beginning, bytes, count, 0)) {
        status = BKS_ERR_DAMAGED;
    }
    if (status != BKS_OK) {
        bksi_feed_tape_destroy(tape);
        return status;
    }
    const bksi_replay_head *head = &tape->beginning.head;
    if (count != head->tail_offset + (size_t)2 * head->slot_blocks * BKSI_BLOCK_BYTES) {
        bksi_feed_tape_destroy(tape); // ticks in it would be behind those that are passed on
        return BKS_ERR_DAMAGED;
    }
    tape->tick_rate_hz = head->tick_rate_hz;
    tape->begun = head->first_tick;
    tape->next = head->first_tick;
    tape->end = head->first_tick;
    return BKS_OK;
}

void bksi_feed_tape_destroy(bksi_feed_tape *tape)
{
    drop_writer(tape);
    bksi_free(&tape->allocator, tape->room.bytes, tape->room.count);
    bksi_feed_beginning_destroy(&tape->beginning);
    bksi_feed_ring_destroy(&tape->ring, &tape->allocator);
    tape->room = (bksi_feed_room){0};
}

// ---- ticks ----

static bksi_feed_checkpoint *checkpoint_of(const bksi_feed_tape *tape, bks_tick tick)
{
    const uint32_t ticks = BKSI_FEED_CHECKPOINT_SECONDS * tape->tick_rate_hz;
    return tick >= 0 && ticks > 0 && (uint32_t)tick % ticks == 0
               ? (bksi_feed_checkpoint *)&tape
                     ->checkpoints[(uint32_t)tick / ticks % BKSI_FEED_CHECKPOINTS]
               : NULL;
}

bool bksi_feed_tape_hash(const bksi_feed_tape *tape, bks_tick tick, uint64_t until_ns,
                         uint64_t *out)
{
    const bksi_feed_checkpoint *held = checkpoint_of(tape, tick);
    const bool is_held =
        held != NULL && held->made_ns > 0 && held->tick == tick && held->made_ns <= until_ns;
    *out = is_held ? held->hash : 0;
    return is_held;
}

static bks_status record_tick(bksi_feed_tape *tape, const bks_session *session)
{
    const bks_tick tick = tape->next;
    bks_commands commands[BKS_PLAYERS_MAX];
    if (bksi_session_commands(session, tick, commands)) {
        BKSI_TRY(bks_replay_writer_commands(tape->writer, tick, commands));
    }
    uint64_t hash = 0;
    const bool has_hash = bks_session_hash(session, tick, &hash) == BKS_OK;
    bksi_feed_checkpoint *checkpoint = checkpoint_of(tape, tick);
    if (checkpoint != NULL && has_hash) {
        *checkpoint = (bksi_feed_checkpoint){tick, hash, tape->now_ns};
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_session_packed(session, tick, packed);
    tape->next++;
    return bksi_writer_confirm(tape->writer, packed, has_hash ? &hash : NULL);
}

static bks_status record_ticks(bksi_feed_tape *tape, const bks_session *session, bks_tick end)
{
    bks_status status = BKS_OK;
    while (status == BKS_OK && tape->next < end) {
        status = record_tick(tape, session);
    }
    return status;
}

// ---- a new recording ----

/// Find the newest final state, from tick `from` on.
/// @param out  receives the tick of the state
/// @return the state, NULL: none is at hand
static const void *find_state(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                              bks_tick from, bks_tick *out, size_t *out_bytes)
{
    const bks_tick settled = bksi_session_settled(session);
    if (bks_session_tick(session) == settled) {
        *out = settled;
        bksi_feed_beginning *beginning = &tape->beginning;
        *out_bytes = bksi_runner_export(runner, beginning->state, beginning->state_bytes_max);
        return *out_bytes > 0 ? beginning->state : NULL;
    }
    const int32_t slot = bksi_session_slot(session, from, settled, out);
    return slot >= 0 ? bksi_runner_slot(runner, (uint32_t)slot, out_bytes) : NULL;
}

/// Begin a new recording, where the present one ends, if a state is at hand.
/// @param out_begun  receives true if it was begun
static bks_status begin_anew(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                             bool *out_begun)
{
    bks_tick tick = 0;
    size_t state_bytes = 0;
    const void *state = find_state(tape, session, runner, tape->next, &tick, &state_bytes);
    tape->has_pointers |= state != NULL && bksi_runner_has_pointers(runner, state, state_bytes);
    *out_begun = state != NULL && !tape->has_pointers;
    if (!*out_begun) {
        return BKS_OK;
    }
    BKSI_TRY(record_ticks(tape, session, tick));
    BKSI_TRY(bksi_writer_end_chunk(tape->writer));
    drop_writer(tape);
    BKSI_TRY(begin_writer(tape, bksi_runner_start(runner), tick));
    bksi_feed_beginning_start(&tape->beginning, state, state_bytes);
    return BKS_OK;
}

// ---- events and the end ----

static bks_status record_events(bksi_feed_tape *tape, const bks_session *session)
{
    bks_roster roster = {0};
    bks_event event;
    bks_status status = BKS_OK;
    (void)bks_session_roster(session, &roster);
    while (status == BKS_OK && bksi_session_event_after(session, &tape->events, &event)) {
        if (event.kind == BKS_EVENT_LEFT && event.tick != BKS_TICK_NONE) {
            const bks_replay_event left = {
                .kind = BKS_REPLAY_LEFT, .tick = event.tick, .peer = event.peer};
            status = bks_replay_writer_event(tape->writer, &left);
        }
        tape->is_repaired |= event.kind == BKS_EVENT_REPAIRED && event.peer == roster.self;
    }
    return status;
}

void bksi_feed_tape_fail(bksi_feed_tape *tape, bool is_repaired)
{
    if (tape->is_finished) {
        tape->is_passing = false; // those who have begun get the end, newcomers no state any more
        return;
    }
    drop_writer(tape);
    bksi_feed_beginning_drop(&tape->beginning);
    tape->is_finished = true;
    tape->has_failed = true;
    tape->is_repaired = is_repaired;
}

/// End the recording after a failure. The source then sends all watchers to other members.
static void check(bksi_feed_tape *tape, bks_status status)
{
    if (status != BKS_OK) {
        bksi_log(BKS_LOG_ERROR, id, "the feed for watchers ends before tick %d: %s",
                 (int)tape->next, bks_status_text(status));
        bksi_feed_tape_fail(tape, tape->is_repaired);
    }
}

void bksi_feed_tape_note(bksi_feed_tape *tape, const char *text)
{
    bks_replay_event note = {.kind = BKS_REPLAY_NOTE, .tick = tape->next};
    if (tape->writer != NULL && !tape->is_finished) {
        (void)snprintf(note.text, sizeof(note.text), "%s", text);
        check(tape, bks_replay_writer_event(tape->writer, &note));
    }
}

/// Return true if the recording ends with the match's last tick.
static bool is_whole(const bksi_feed_tape *tape, const bks_session *session)
{
    bks_roster roster = {0};
    (void)bks_session_roster(session, &roster);
    return roster.ticks > 0 && tape->next == roster.first_tick + roster.ticks;
}

static bks_status finish(bksi_feed_tape *tape, const bks_session *session)
{
    BKSI_TRY(record_ticks(tape, session, bksi_session_settled(session)));
    uint64_t hash = 0;
    const bool has_hash = bks_session_hash(session, tape->next, &hash) == BKS_OK;
    if (!is_whole(tape, session)) {
        BKSI_TRY(bksi_writer_end_chunk(tape->writer));
        bks_replay_event closed = {.kind = BKS_REPLAY_CLOSED,
                                   .tick = tape->next,
                                   .a = bksi_session_has_stopped(session) ? BKS_CLOSED_STOPPED
                                                                          : BKS_CLOSED_LEFT};
        (void)snprintf(closed.text, sizeof(closed.text), "the source of the feed ended here");
        BKSI_TRY(bks_replay_writer_event(tape->writer, &closed));
    }
    return bks_replay_writer_finish(tape->writer, has_hash ? &hash : NULL);
}

void bksi_feed_tape_finish(bksi_feed_tape *tape, const bks_session *session, uint64_t now_ns)
{
    tape->now_ns = now_ns;
    if (tape->writer != NULL && !tape->is_finished) {
        check(tape, finish(tape, session));
    }
    tape->is_finished = true;
}

static bks_status record(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                         bool is_wanted)
{
    const bks_tick settled = bksi_session_settled(session);
    bool has_begun = tape->beginning.is_packing;
    if (tape->writer == NULL) {
        bks_roster roster = {0};
        (void)bks_session_roster(session, &roster);
        BKSI_TRY(begin_writer(tape, bksi_runner_start(runner),
                              tape->is_by_history ? roster.first_tick : settled));
        // There is no state yet, and by history there will be none.
        tape->made_ns = tape->is_by_history ? tape->now_ns : 0;
    }
    if (is_wanted && !has_begun) {
        BKSI_TRY(begin_anew(tape, session, runner, &has_begun));
    }
    if (tape->beginning.is_packing) {
        bksi_feed_beginning_go_on(&tape->beginning, tape->now_ns);
    }
    const bks_tick back_ticks = BACK_TICKS + (bks_tick)bksi_session_window(session);
    const bool waits = is_wanted && !has_begun && settled - tape->next < back_ticks;
    if (waits) {
        return BKS_OK;
    }
    BKSI_TRY(record_ticks(tape, session, settled));
    return record_events(tape, session);
}

void bksi_feed_tape_update(bksi_feed_tape *tape, const bks_session *session, bksi_runner *runner,
                           bool is_wanted, uint64_t now_ns)
{
    tape->now_ns = now_ns;
    if (tape->is_finished) {
        return;
    }
    bksi_feed_beginning_warm(&tape->beginning);
    if (bks_session_phase(session) != BKS_PHASE_RUNNING) {
        bksi_feed_tape_finish(tape, session, now_ns);
        return;
    }
    check(tape, record(tape, session, runner, is_wanted));
}

void bksi_feed_tape_drop(bksi_feed_tape *tape)
{
    drop_writer(tape);
    bksi_feed_beginning_drop(&tape->beginning);
    bksi_feed_ring_clear(&tape->ring);
    memset(tape->checkpoints, 0, sizeof(tape->checkpoints));
}

// ---- what another source has recorded ----

void bksi_feed_tape_pass(bksi_feed_tape *tape, const uint8_t *record, size_t count, uint64_t now_ns)
{
    if (tape->is_finished) {
        return;
    }
    tape->now_ns = now_ns;
    check(tape, put_record(tape, record, count) ? BKS_OK : BKS_ERR_IO);
    tape->next = tape->end;
    tape->is_finished |= bksi_get_u32(record) == BKSI_RECORD_DONE;
}

void bksi_feed_tape_begin(bksi_feed_tape *tape, bksi_runner *runner, bks_tick tick,
                          const bksi_feed_cursor *records)
{
    bksi_feed_beginning *beginning = &tape->beginning;
    const size_t state_bytes =
        bksi_runner_export(runner, beginning->state, beginning->state_bytes_max);
    tape->has_pointers |= bksi_runner_has_pointers(runner, beginning->state, state_bytes);
    if (state_bytes == 0) {
        check(tape, BKS_ERR_GAME);
    }
    if (state_bytes == 0 || tape->has_pointers) {
        return;
    }
    tape->begun = tick;
    tape->records = *records;
    tape->made_ns = tape->now_ns;
    bksi_feed_beginning_tick(beginning, tick);
    bksi_feed_beginning_start(beginning, beginning->state, state_bytes);
}

void bksi_feed_tape_pack(bksi_feed_tape *tape, uint64_t now_ns)
{
    tape->now_ns = now_ns;
    if (tape->beginning.is_packing) {
        bksi_feed_beginning_go_on(&tape->beginning, now_ns);
    }
}

// ---- reading on ----

bksi_feed_stretch bksi_feed_tape_find(const bksi_feed_tape *tape, bks_tick tick,
                                      bksi_feed_cursor *out)
{
    const bks_tick ahead = (bks_tick)(AHEAD_SECONDS * tape->tick_rate_hz);
    const bool is_near = tick >= tape->begun && tick - tape->next <= ahead;
    const bksi_feed_stretch later = is_near ? BKSI_FEED_STRETCH_LATER : BKSI_FEED_STRETCH_LOST;
    bks_tick first = 0;
    bks_tick end = BKS_TICK_NONE;
    if (tick > tape->end) {
        return later; // at once, because a watcher that waits asks again and again
    }
    if (!bksi_feed_ring_holds(&tape->ring, &tape->after)) {
        return BKSI_FEED_STRETCH_LOST; // no chunk is held at all
    }
    // Records of a chunk's commands and events stand before it, so begin after the chunk before.
    // The first chunk that is held may have lost such records.
    bool is_whole = tape->ring.first == 0;
    uint64_t after = tape->ring.first;
    for (uint64_t at = after; at < tape->ring.end;) {
        uint8_t head[BKSI_RECORD_HEAD_BYTES + 10];
        const size_t count = bksi_feed_ring_look(&tape->ring, &at, head, sizeof(head));
        if (!read_ticks(head, count, &first, &end)) {
            continue;
        }
        if (tick < end) {
            *out = (bksi_feed_cursor){.place = after};
            return tick >= first && is_whole ? BKSI_FEED_STRETCH_HELD : BKSI_FEED_STRETCH_LOST;
        }
        is_whole = true;
        after = at;
    }
    *out = (bksi_feed_cursor){.place = after};
    return tick == end ? BKSI_FEED_STRETCH_HELD : later;
}
