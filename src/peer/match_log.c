// SPDX-License-Identifier: MIT

#include "peer/match_log.h"

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bits.h"
#include "base/memory.h"
#include "replay/format/replay_evidence.h"

/// Size of the match log: entries for the last SECONDS seconds. Each tick gets ENTRIES entries, and
/// ENTRIES_A_PEER more for each other peer, because its packets add entries. The size is at least
/// ENTRIES_MIN and at most ENTRIES_MAX.
#define SECONDS        10u
#define ENTRIES        20u
#define ENTRIES_A_PEER 4u
#define ENTRIES_MIN    (1u << 12)
#define ENTRIES_MAX    (1u << 16)

#define TIME_SHIFT       BKSI_LOG_TIME_SHIFT
#define TIME_OF(seconds) (((seconds)*UINT64_C(1000000000)) >> TIME_SHIFT)

#define NOBODY 255u

bks_status bksi_match_log_create(bksi_match_log *log, const bks_session *session,
                                 uint32_t tick_rate_hz, const bks_allocator *allocator)
{
    bks_roster roster = {0};
    (void)bks_session_roster(session, &roster);
    const uint64_t wanted = (uint64_t)SECONDS * tick_rate_hz *
                            (ENTRIES + ENTRIES_A_PEER * (roster.peers > 0 ? roster.peers - 1 : 0));
    uint32_t capacity = ENTRIES_MIN;
    while (capacity < wanted && capacity < ENTRIES_MAX) {
        capacity *= 2;
    }
    *log = (bksi_match_log){.capacity = capacity, .wrong = BKS_TICK_NONE, .delay = UINT32_MAX};
    log->players = roster.players;
    log->first_own = roster.first_player[roster.self];
    log->own_count = roster.player_count[roster.self];
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        log->first_player[i] = (uint8_t)roster.first_player[i];
    }
    log->entries = bksi_alloc(allocator, capacity * sizeof(log->entries[0]), 64);
    return log->entries != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_match_log_destroy(bksi_match_log *log, const bks_allocator *allocator)
{
    bksi_free(allocator, log->entries, log->capacity * sizeof(log->entries[0]));
    log->entries = NULL;
    log->is_on = false;
}

// ---- entries of the log ----

static inline void add(bksi_match_log *log, bks_entry_kind kind, uint32_t number, uint32_t reason,
                       bks_tick tick, uint32_t value)
{
    bksi_match_log_entry *entry = &log->entries[log->count++ & (log->capacity - 1)];
    *entry = (bksi_match_log_entry){.time = (uint32_t)log->now,
                                    .kind = (uint8_t)kind,
                                    .number = (uint8_t)number,
                                    .reason = (uint8_t)reason,
                                    .tick = tick,
                                    .value = value};
}

/// Find the first tick in from..until that was stepped with an input other than the known one.
/// @return the tick; BKS_TICK_NONE: all ticks were stepped with the known inputs
static bks_tick find_wrong(const bksi_rollback *engine, uint32_t player, bks_tick from,
                           bks_tick until)
{
    const bksi_timeline *timeline = &engine->known.timelines[player];
    for (bks_tick tick = from; tick < until; tick++) {
        if (!bksi_timeline_is_as_used(timeline, tick, tick + 1)) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

/// Log that inputs of a player became known.
static void note_inputs(bksi_match_log *log, const bksi_rollback *engine, uint32_t player,
                        bks_tick head)
{
    const bks_tick before = log->heads[player];
    log->heads[player] = head;
    add(log, BKS_ENTRY_INPUTS, player, 0, before, (uint32_t)(head - before));
    const bks_tick stepped = bksi_rollback_front(engine);
    const bks_tick wrong = find_wrong(engine, player, before, head < stepped ? head : stepped);
    if (wrong == BKS_TICK_NONE) {
        return;
    }
    add(log, BKS_ENTRY_WRONG, player, 0, wrong, 0);
    if (log->wrong == BKS_TICK_NONE || wrong < log->wrong) {
        log->wrong = wrong;
        log->wrong_player = player;
    }
}

/// Log the inputs of other peers that became known. Our own inputs are logged when sampled.
static void look_at_heads(bksi_match_log *log, const bksi_rollback *engine)
{
    for (uint32_t player = 0; player < log->players; player++) {
        const bks_tick head = bksi_rollback_head(engine, player);
        if (head != log->heads[player] && player - log->first_own >= log->own_count) {
            note_inputs(log, engine, player, head);
        }
    }
}

void bksi_match_log_came(bksi_match_log *log, const bks_session *session, uint64_t now_ns,
                         size_t bytes)
{
    if (!log->is_on) {
        return;
    }
    const bksi_rollback *engine = bksi_session_engine(session);
    const uint32_t from = bksi_session_came_from(session);
    const bool is_known = from < BKS_PEERS_MAX;
    log->now = now_ns >> TIME_SHIFT;
    add(log, BKS_ENTRY_CAME, is_known ? from : NOBODY, 0,
        is_known ? bksi_rollback_head(engine, log->first_player[from]) : BKS_TICK_NONE,
        (uint32_t)bytes);
    look_at_heads(log, engine);
}

void bksi_match_log_sent(bksi_match_log *log, const bks_session *session, size_t bytes)
{
    const uint32_t to = bksi_session_went_to(session);
    if (log->is_on && bytes > 0) {
        add(log, BKS_ENTRY_SENT, to < BKS_PEERS_MAX ? to : NOBODY, 0,
            bksi_rollback_head(bksi_session_engine(session), log->first_own), (uint32_t)bytes);
    }
}

/// Log a rollback, which the engine decided at the beginning of the update.
static void note_rollback(bksi_match_log *log, const bksi_rollback *engine)
{
    const bksi_progress *progress = &engine->progress;
    const bks_tick wrong = progress->load_until;
    log->rollbacks = progress->counts.rollbacks;
    log->rolls_back = true;
    add(log, BKS_ENTRY_ROLLBACK, wrong == log->wrong ? log->wrong_player : NOBODY, 0, wrong,
        (uint32_t)(progress->front - wrong));
    log->wrong = BKS_TICK_NONE;
}

/// Begin the log when the match starts to run.
static void begin(bksi_match_log *log, const bks_session *session)
{
    const bksi_rollback *engine = bksi_session_engine(session);
    log->is_on = log->entries != NULL;
    log->begun = log->now;
    for (uint32_t player = 0; player < log->players; player++) {
        log->heads[player] = bksi_rollback_first(engine);
    }
}

void bksi_match_log_update(bksi_match_log *log, const bks_session *session, uint64_t now_ns)
{
    if (log->entries == NULL) {
        return;
    }
    log->now = now_ns >> TIME_SHIFT;
    if (!log->is_on) {
        if (bks_session_phase(session) != BKS_PHASE_RUNNING) {
            return;
        }
        begin(log, session);
    }
    const bksi_rollback *engine = bksi_session_engine(session);
    add(log, BKS_ENTRY_UPDATE, 0, 0, bksi_rollback_front(engine), 0);
    look_at_heads(log, engine); // inputs of a leaver become known without a packet
    const uint32_t delay = bksi_session_delay(session);
    if (delay != log->delay) {
        log->delay = delay;
        add(log, BKS_ENTRY_DELAY, 0, 0, bksi_rollback_front(engine), delay);
    }
    if (engine->progress.counts.rollbacks != log->rollbacks) {
        note_rollback(log, engine);
    }
}

static bks_load_reason why_loaded(bksi_match_log *log, const bksi_rollback *engine, bks_tick tick)
{
    const bool rolls_back = log->rolls_back;
    log->rolls_back = false;
    return rolls_back                   ? BKS_LOAD_ROLLBACK
           : tick > engine->progress.at ? BKS_LOAD_AS_WAS
                                        : BKS_LOAD_MOVES;
}

static bks_save_reason why_saved(const bksi_rollback *engine, bks_tick tick)
{
    return engine->slots.policy == BKS_SAVE_ONE ? BKS_SAVED_MOVES
           : engine->progress.is_resimulating && tick == bksi_rollback_confirmed(engine)
               ? BKS_SAVED_CERTAIN
               : BKS_SAVED_SPACED;
}

/// Find the players whose input of a tick is unknown, as bits.
static uint32_t find_guessed(const bksi_match_log *log, const bksi_rollback *engine, bks_tick tick)
{
    uint32_t guessed = 0;
    for (uint32_t player = 0; player < log->players; player++) {
        guessed |= tick >= bksi_rollback_head(engine, player) ? 1u << player : 0;
    }
    return guessed;
}

void bksi_match_log_op(bksi_match_log *log, const bks_session *session, const bks_op *op,
                       const bks_op_result *result)
{
    if (!log->is_on) {
        return;
    }
    const bksi_rollback *engine = bksi_session_engine(session);
    switch (op->kind) {
    case BKS_OP_SAMPLE:
        add(log, BKS_ENTRY_SAMPLED, op->player, 0, op->tick, 0);
        break;
    case BKS_OP_SAVE:
        add(log, BKS_ENTRY_SAVE, 0, why_saved(engine, op->tick), op->tick, 0);
        break;
    case BKS_OP_LOAD:
        add(log, BKS_ENTRY_LOAD, 0, why_loaded(log, engine, op->tick), op->tick, 0);
        break;
    case BKS_OP_STEP:
        add(log, BKS_ENTRY_STEP, 0, op->tick < engine->progress.front, op->tick,
            find_guessed(log, engine, op->tick));
        break;
    case BKS_OP_HASH:
        add(log, BKS_ENTRY_HASH, 0, result->is_kept, op->tick, (uint32_t)result->hash);
        break;
    default:
        break;
    }
}

void bksi_match_log_events(bksi_match_log *log, const bks_session *session)
{
    bks_event event;
    while (log->is_on && bksi_session_event_after(session, &log->events, &event)) {
        add(log, BKS_ENTRY_EVENT, event.peer, 0, event.tick, (uint32_t)event.kind);
    }
}

// ---- writing the log into a recording ----

static const bksi_match_log_entry *at(const bksi_match_log *log, uint64_t number)
{
    return &log->entries[number & (log->capacity - 1)];
}

/// Restore the full time of an entry, which is at most about an hour old.
static uint64_t time_us_of(const bksi_match_log *log, const bksi_match_log_entry *entry)
{
    const uint64_t time = log->now - (uint32_t)((uint32_t)log->now - entry->time);
    return ((time - log->begun) << TIME_SHIFT) / 1000;
}

/// Get the index of the first entry to be written, counted from the beginning of the match.
static uint64_t first_new(const bksi_match_log *log)
{
    uint64_t first = log->count > log->capacity ? log->count - log->capacity : 0;
    first = first > log->written ? first : log->written;
    while (first < log->count &&
           (uint32_t)((uint32_t)log->now - at(log, first)->time) > TIME_OF(SECONDS)) {
        first++;
    }
    return first;
}

/// Write as many entries as fit into a record.
/// @return index of the entry after the last written one
static uint64_t write_entries(const bksi_match_log *log, uint64_t from, bksi_byte_writer *content)
{
    bksi_log_cursor cursor = {.time_us = time_us_of(log, at(log, from))};
    uint64_t number = from;
    for (; number < log->count && content->capacity - content->at >= BKSI_LOG_ENTRY_BYTES_MAX;
         number++) {
        const bksi_match_log_entry *entry = at(log, number);
        const uint64_t time_us = time_us_of(log, entry);
        const bks_log_entry written = {.kind = (bks_entry_kind)entry->kind,
                                       // Times in the ring wrap around if the machine sleeps for an
                                       // hour, so never write a time before the previous one.
                                       .time_us =
                                           time_us > cursor.time_us ? time_us : cursor.time_us,
                                       .tick = entry->tick,
                                       .number = entry->number,
                                       .reason = entry->reason,
                                       .value = entry->value};
        bksi_log_write(content, &cursor, &written);
    }
    return number;
}

bks_status bksi_match_log_write(bksi_match_log *log, bksi_packer *packer, bks_replay_writer *writer)
{
    bks_status status = BKS_OK;
    uint64_t first = log->entries != NULL ? first_new(log) : log->count;
    while (status == BKS_OK && first < log->count) {
        bksi_byte_writer content = bksi_packer_content(packer);
        bksi_byte_writer head = bksi_packer_head(packer);
        const uint64_t end = write_entries(log, first, &content);
        bksi_log_write_head(&head, time_us_of(log, at(log, first)), (uint32_t)(end - first));
        const size_t bytes = bksi_packer_pack_sized(packer, &head, &content);
        status = bksi_writer_append_log(writer, bksi_packer_record(packer), bytes);
        first = end;
    }
    log->written = log->count;
    return status;
}
