// SPDX-License-Identifier: MIT

// Everything is checked as the file is opened, so that later reads cannot fail: the frame, then
// each run tick by tick. The first thing that is wrong ends the reading; what stands before it is
// kept.

#include "replay/replay_reader.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/replay_format.h"
#include "replay/replay_tail.h"

static const char id[] = "replay.open";

/// Remember damage; of several the one nearest to the file's beginning counts.
static void note_damage(bks_replay *replay, bks_status status, size_t offset, const char *what)
{
    if (replay->damage != NULL && replay->info.damage_offset_bytes <= offset) {
        return;
    }
    replay->damage = what;
    replay->damage_status = status;
    replay->info.damage_offset_bytes = offset;
    replay->info.is_damaged = true;
}

/// Walk through a run. `packed` and what follows may be NULL.
static bool walk_run(const bks_replay *replay, const bksi_run *run, uint8_t *packed,
                     uint64_t *hashes, uint8_t *hash_bits)
{
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, &replay->shape, run);
    const uint32_t ticks = run->confirmed + run->used;
    for (uint32_t i = 0; i < ticks; i++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        if (!bksi_run_next(&cursor, packed != NULL ? packed + i * replay->tick_bytes : NULL, &hash,
                           &bits)) {
            return false;
        }
        if (hashes != NULL) {
            hashes[i] = hash;
            hash_bits[i] = (uint8_t)bits;
        }
    }
    return bksi_run_is_used_up(&cursor);
}

static void add_part(bks_replay *replay, const bksi_run *run, bks_tick end)
{
    BKS_ASSERT(replay->part_count < replay->part_capacity);
    const bks_tick begin = replay->info.ticks;
    replay->parts[replay->part_count++] =
        (bksi_replay_part){.run = *run, .begin = begin, .end = end};
    const uint32_t ticks = run->confirmed + run->used;
    replay->room_ticks = ticks > replay->room_ticks ? ticks : replay->room_ticks;
    replay->info.input_bytes += run->input_bytes;
    replay->info.hash_bytes += run->hash_bytes;
    replay->info.ticks = end;
}

/// @return what is wrong, NULL when nothing is
static const char *take_ticks(bks_replay *replay, const bksi_record *record)
{
    bksi_run run;
    if (!bksi_run_read(record->payload, record->payload_bytes, &run) || run.used != 0 ||
        run.confirmed == 0 || !walk_run(replay, &run, NULL, NULL, NULL)) {
        return "a TICK record holds what it cannot";
    }
    if (run.first != replay->info.ticks) {
        return "a TICK record does not begin where the one before ends";
    }
    add_part(replay, &run, run.first + (bks_tick)run.confirmed);
    replay->info.confirmed = replay->info.ticks;
    return NULL;
}

static const char *take_done(bks_replay *replay, const bksi_record *record)
{
    if (record->payload_bytes != BKSI_DONE_BYTES || record->payload[4] > 1) {
        return "the DONE record holds what it cannot";
    }
    if (bksi_get_u32(record->payload) != (uint32_t)replay->info.ticks) {
        return "the DONE record does not tell the ticks that are there";
    }
    replay->has_final_hash = record->payload[4] == 1;
    replay->final_hash = bksi_get_u64(record->payload + 5);
    replay->info.is_complete = true;
    return record->end < replay->count ? "there are bytes behind the DONE record" : NULL;
}

/// Take in one record that follows the slots.
/// @return whether what follows it can be read
static bool take_record(bks_replay *replay, const bksi_record *record)
{
    const char *wrong = NULL;
    switch (record->type) {
    case BKSI_RECORD_TICKS:
        wrong = take_ticks(replay, record);
        break;
    case BKSI_RECORD_DONE:
        wrong = take_done(replay, record);
        break;
    case BKSI_RECORD_HEAD:
    case BKSI_RECORD_STATE:
        wrong = "a record stands where it must not";
        break;
    default:
        // As in PNG: a reader may pass over a type that begins with a small letter.
        if ((record->type & 0x20) == 0) {
            note_damage(replay, BKS_ERR_UNSUPPORTED, record->offset,
                        "a record of a later version cannot be passed over");
            return false;
        }
        break;
    }
    if (wrong != NULL) {
        const bool is_behind = replay->info.is_complete;
        note_damage(replay, BKS_ERR_DAMAGED, is_behind ? record->end : record->offset, wrong);
    }
    return wrong == NULL && !replay->info.is_complete;
}

static void read_records(bks_replay *replay, size_t offset)
{
    bksi_record record;
    do {
        switch (bksi_record_read(replay->bytes, replay->count, offset, &record)) {
        case BKSI_RECORD_END:
        case BKSI_RECORD_CUT:
            return;
        case BKSI_RECORD_BAD_HEAD:
            note_damage(replay, BKS_ERR_DAMAGED, offset,
                        "a record's type and length fail their check");
            return;
        case BKSI_RECORD_BAD_PAYLOAD:
            note_damage(replay, BKS_ERR_DAMAGED, offset, "a record fails its check");
            return;
        case BKSI_RECORD_OK:
            offset = record.end;
            break;
        }
    } while (take_record(replay, &record));
}

/// Ticks that are not sealed: what the newest whole write of the slots holds beyond the records.
static void take_tail(bks_replay *replay, const bksi_tail *tail)
{
    bksi_run run;
    bksi_tail_copy(replay->bytes, tail, replay->tail);
    if (!bksi_run_read(replay->tail, tail->payload_bytes, &run) ||
        !walk_run(replay, &run, NULL, NULL, NULL)) {
        note_damage(replay, BKS_ERR_DAMAGED, tail->slot_offset, "the tail holds what it cannot");
        return;
    }
    const bks_tick sealed = replay->info.ticks;
    const bks_tick confirmed = run.first + (bks_tick)run.confirmed;
    const bks_tick end = confirmed + (bks_tick)run.used;
    // Records that a file once had were cut off when the tail begins behind them.
    if (run.first > sealed || end <= sealed) {
        return;
    }
    add_part(replay, &run, end);
    replay->info.confirmed = confirmed > sealed ? confirmed : sealed;
}

/// Zeros up to the slots, then the slots.
static void check_tail(bks_replay *replay, size_t padding, size_t tail_offset, bksi_tail *tail)
{
    for (size_t at = padding; at < tail_offset && at < replay->count; at++) {
        if (replay->bytes[at] != 0) {
            note_damage(replay, BKS_ERR_DAMAGED, at, "the bytes before the tail are not zero");
            break;
        }
    }
    bksi_tail_read(replay->bytes, replay->count, tail_offset, replay->head.slot_blocks, tail);
    if (tail->is_damaged) {
        note_damage(replay, BKS_ERR_DAMAGED, tail->damage_offset,
                    "a block of the tail fails its check");
    }
}

/// Count the records, so that all memory can be taken at once.
static size_t count_ticks_records(const bks_replay *replay, size_t offset)
{
    size_t found = 0;
    bksi_record record;
    while (bksi_record_skim(replay->bytes, replay->count, offset, &record) == BKSI_RECORD_OK) {
        found += record.type == BKSI_RECORD_TICKS;
        offset = record.end;
    }
    return found;
}

static bks_status no_memory(bks_error *error)
{
    return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, id, NULL, "no memory to read a replay");
}

/// All that stands behind the STAT record.
static bks_status read_ticks(bks_replay *replay, size_t offset, bks_error *error)
{
    const size_t tail_offset = (size_t)bksi_tail_offset(offset);
    const size_t records = tail_offset + 2 * (size_t)replay->head.slot_blocks * BKSI_BLOCK_BYTES;
    bksi_tail tail;
    check_tail(replay, offset, tail_offset, &tail);
    const bks_allocator *allocator = &replay->allocator;
    replay->part_capacity = count_ticks_records(replay, records) + 1;
    replay->tail_bytes = tail.has_write ? tail.payload_bytes : 0;
    replay->parts = bksi_alloc(allocator, replay->part_capacity * sizeof(*replay->parts),
                               _Alignof(bksi_replay_part));
    replay->tail = bksi_alloc(allocator, replay->tail_bytes, 1);
    if (replay->parts == NULL || replay->tail == NULL) {
        return no_memory(error);
    }
    read_records(replay, records);
    if (replay->info.is_complete && !tail.is_zero) {
        note_damage(replay, BKS_ERR_DAMAGED, tail.used_offset,
                    "the tail of a complete file is not empty");
    }
    // Behind damaged records the tail would leave a gap, or stand in for what it does not follow.
    if (!replay->info.is_complete && tail.has_write) {
        take_tail(replay, &tail);
    }
    const size_t room = replay->room_ticks;
    replay->inputs = bksi_alloc(allocator, room * replay->tick_bytes, 1);
    replay->hashes = bksi_alloc(allocator, room * sizeof(uint64_t), _Alignof(uint64_t));
    replay->hash_bits = bksi_alloc(allocator, room, 1);
    replay->unpacked = replay->part_count;
    const bool is_there =
        replay->inputs != NULL && replay->hashes != NULL && replay->hash_bits != NULL;
    return is_there ? BKS_OK : no_memory(error);
}

/// STAT and what follows.
static bks_status read_rest(bks_replay *replay, size_t offset, bks_error *error)
{
    bksi_record record;
    switch (bksi_record_read(replay->bytes, replay->count, offset, &record)) {
    case BKSI_RECORD_OK:
        break;
    case BKSI_RECORD_END:
    case BKSI_RECORD_CUT:
        return BKS_OK;
    case BKSI_RECORD_BAD_HEAD:
    case BKSI_RECORD_BAD_PAYLOAD:
        note_damage(replay, BKS_ERR_DAMAGED, offset, "the STAT record fails its check");
        return BKS_OK;
    }
    if (record.type != BKSI_RECORD_STATE) {
        note_damage(replay, BKS_ERR_DAMAGED, offset, "a STAT record must follow the HEAD record");
        return BKS_OK;
    }
    if (bksi_replay_state_read(&replay->state, record.payload, record.payload_bytes,
                               offset + BKSI_RECORD_HEAD_BYTES, NULL) != BKS_OK) {
        note_damage(replay, BKS_ERR_DAMAGED, offset, "the STAT record holds what it cannot");
        return BKS_OK;
    }
    replay->has_state = true;
    replay->info.state_bytes = replay->state.state_bytes;
    return read_ticks(replay, record.end, error);
}

/// What the file says of itself: nothing can be told without it.
static bks_status read_head(bks_replay *replay, size_t *out_end, bks_error *error)
{
    bksi_record record;
    const size_t offset = BKSI_PREAMBLE_BYTES;
    switch (bksi_record_read(replay->bytes, replay->count, offset, &record)) {
    case BKSI_RECORD_OK:
        break;
    case BKSI_RECORD_END:
    case BKSI_RECORD_CUT:
        return bksi_fail_at(error, BKS_ERR_INCOMPLETE, id, replay->count,
                            "the file ends in its HEAD record, before it says what it is,");
    case BKSI_RECORD_BAD_HEAD:
    case BKSI_RECORD_BAD_PAYLOAD:
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "the HEAD record fails its check");
    }
    if (record.type != BKSI_RECORD_HEAD) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "the first record must be the HEAD record");
    }
    *out_end = record.end;
    bks_status status = bksi_replay_head_read(&replay->head, record.payload, record.payload_bytes,
                                              offset + BKSI_RECORD_HEAD_BYTES, error);
    if (status == BKS_OK) {
        status =
            bksi_layout_init(&replay->layout, replay->head.fields, replay->head.field_count, error);
    }
    return status;
}

static void fill_info(bks_replay *replay)
{
    const bksi_replay_head *head = &replay->head;
    replay->shape = (bksi_run_shape){
        .layout = &replay->layout, .players = head->players, .tick_rate_hz = head->tick_rate_hz};
    replay->tick_bytes = bksi_run_tick_bytes(&replay->shape);
    replay->info = (bks_replay_info){
        .game = head->game,
        .version = head->version,
        .build = head->build,
        .players = head->players,
        .tick_rate_hz = head->tick_rate_hz,
        .seed = head->seed,
        .bytes = replay->count,
        .fields = head->fields,
        .field_count = head->field_count,
        .options = head->options,
        .option_count = head->option_count,
        .environment = head->environment,
        .environment_count = head->environment_count,
    };
}

/// Read all of it. `replay` can be used when BKS_OK comes back, or when info says it is damaged.
static bks_status read_all(bks_replay *replay, bks_error *error)
{
    bks_status status = bksi_preamble_check(replay->bytes, replay->count, error);
    size_t offset = 0;
    if (status == BKS_OK) {
        status = read_head(replay, &offset, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    fill_info(replay);
    status = read_rest(replay, offset, error);
    if (status == BKS_OK && replay->info.is_damaged) {
        replay->info.is_complete = false;
        (void)bksi_fail_at(&replay->error, replay->damage_status, id,
                           replay->info.damage_offset_bytes, "%s", replay->damage);
        if (error != NULL) {
            *error = replay->error;
        }
        return replay->damage_status;
    }
    return status;
}

bks_status bks_replay_open(const void *bytes, size_t count, const bks_allocator *allocator,
                           bks_replay **out, bks_error *error)
{
    static const char call[] = "bks_replay_open";
    if (out == NULL) {
        return bksi_fail_null(error, call, "out");
    }
    *out = NULL;
    if (bytes == NULL && count > 0) {
        return bksi_fail_null(error, call, "bytes");
    }
    const bks_allocator none = {0};
    const bks_allocator *hooks = allocator != NULL ? allocator : &none;
    if (!bksi_allocator_ok(hooks)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    bks_replay *replay = bksi_alloc(hooks, sizeof(*replay), _Alignof(bks_replay));
    if (replay == NULL) {
        return no_memory(error);
    }
    replay->allocator = *hooks;
    replay->bytes = bytes;
    replay->count = count;
    const bks_status status = read_all(replay, error);
    if (status == BKS_OK || (replay->info.is_damaged && status != BKS_ERR_OUT_OF_MEMORY)) {
        *out = replay;
    } else {
        bks_replay_close(replay);
    }
    return status;
}

void bks_replay_close(bks_replay *replay)
{
    if (replay == NULL) {
        return;
    }
    const bks_allocator allocator = replay->allocator;
    const size_t room = replay->room_ticks;
    bksi_free(&allocator, replay->parts, replay->part_capacity * sizeof(*replay->parts));
    bksi_free(&allocator, replay->tail, replay->tail_bytes);
    bksi_free(&allocator, replay->inputs, room * replay->tick_bytes);
    bksi_free(&allocator, replay->hashes, room * sizeof(uint64_t));
    bksi_free(&allocator, replay->hash_bits, room);
    bksi_free(&allocator, replay, sizeof(*replay));
}

const bks_replay_info *bks_replay_get_info(const bks_replay *replay)
{
    if (replay == NULL) {
        (void)bksi_fail_null(NULL, "bks_replay_get_info", "replay");
        return NULL;
    }
    return &replay->info;
}

/// Unpack the part that serves a tick, unless it lies there already.
/// @return the tick's place in what is unpacked
static size_t reach(bks_replay *replay, bks_tick tick)
{
    size_t low = 0;
    size_t high = replay->part_count - 1;
    if (replay->unpacked < replay->part_count && replay->parts[replay->unpacked].begin <= tick &&
        tick < replay->parts[replay->unpacked].end) {
        low = high = replay->unpacked;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tick < replay->parts[middle].end) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const bksi_replay_part *part = &replay->parts[low];
    if (replay->unpacked != low) {
        const bool is_right =
            walk_run(replay, &part->run, replay->inputs, replay->hashes, replay->hash_bits);
        BKS_ASSERT(is_right);
        (void)is_right;
        replay->unpacked = low;
    }
    return (size_t)(tick - part->run.first);
}

bks_status bks_replay_inputs(bks_replay *replay, bks_tick tick, int32_t *values)
{
    static const char call[] = "bks_replay_inputs";
    if (replay == NULL || values == NULL) {
        return bksi_fail_null(NULL, call, replay == NULL ? "replay" : "values");
    }
    if (tick < 0 || tick >= replay->info.ticks) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be 0..%d",
                         tick, replay->info.ticks - 1);
    }
    const uint8_t *packed = replay->inputs + reach(replay, tick) * replay->tick_bytes;
    for (uint32_t player = 0; player < replay->info.players; player++) {
        bksi_layout_unpack(&replay->layout, packed + (size_t)player * replay->layout.bytes,
                           values + (size_t)player * replay->layout.field_count);
    }
    return BKS_OK;
}

bks_status bks_replay_hash(bks_replay *replay, bks_tick tick, uint64_t *out_hash,
                           uint32_t *out_bits)
{
    static const char call[] = "bks_replay_hash";
    if (replay == NULL || out_hash == NULL || out_bits == NULL) {
        return bksi_fail_null(NULL, call,
                              replay == NULL     ? "replay"
                              : out_hash == NULL ? "out_hash"
                                                 : "out_bits");
    }
    if (tick < 0 || tick > replay->info.confirmed) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be 0..%d",
                         tick, replay->info.confirmed);
    }
    *out_hash = 0;
    *out_bits = 0;
    if (tick == replay->info.confirmed) {
        *out_hash = replay->has_final_hash ? replay->final_hash : 0;
        *out_bits = replay->has_final_hash ? 64 : 0;
        return BKS_OK;
    }
    const size_t at = reach(replay, tick);
    *out_hash = replay->hashes[at];
    *out_bits = replay->hash_bits[at];
    return BKS_OK;
}

bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash)
{
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return true;
    }
    return bits == 64 ? recorded == hash : recorded == (hash & 0xffff);
}

bks_status bks_replay_state(const bks_replay *replay, void *out, size_t capacity, bks_error *error)
{
    static const char call[] = "bks_replay_state";
    if (replay == NULL || out == NULL) {
        return bksi_fail_null(error, call, replay == NULL ? "replay" : "out");
    }
    if (!replay->has_state) {
        return bksi_fail_at(error, BKS_ERR_INCOMPLETE, call, replay->count,
                            "the file ends before its state does");
    }
    if (capacity < replay->state.state_bytes) {
        return bksi_fail(error, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %zu", capacity,
                         replay->state.state_bytes);
    }
    return bksi_replay_state_unpack(&replay->state, out, error);
}
