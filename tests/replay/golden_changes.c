// SPDX-License-Identifier: MIT

#include "golden_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_tail.h"
#include "replay/write/writer.h"

#define TICKS 100

/// All that a file can hold: keyframes every 4 ticks, those of 4 and 68 whole; chunks 0..3, 4..19,
/// 20..35, 36..51, 52..67, 68..83, 84..99.
static const bks_replay_detail everything = {
    .hash_bits = 20,
    .full_hash_ticks = 20,
    .chunk_ticks = 16,
    .keyframe_ticks = 4,
    .keyframe_bytes = 1u << 30,
    .page_hashes = true,
    .rollbacks = true,
    .ranges = walk_ranges,
    .range_count = 3,
};

// ---- changing bytes ----

static void append(memory_file *file, const void *bytes, size_t count)
{
    uint8_t *copy = malloc(count);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    const memory_write write = {.offset = file->count, .count = count, .bytes = copy};
    memory_file_apply(file, &write, count);
    free(copy);
}

static void append_record(memory_file *file, uint32_t type, const void *payload, size_t count)
{
    uint8_t record[1024];
    memcpy(record + BKSI_RECORD_HEAD_BYTES, payload, count);
    append(file, record, bksi_record_seal(record, type, count, file->count));
}

/// The nth record of a type.
static bksi_record find(const memory_file *file, uint32_t type, uint32_t n)
{
    const bks_replay_piece piece = {.bytes = file->bytes, .count = file->count};
    uint64_t offset = BKSI_PREAMBLE_BYTES;
    bksi_record record = {0};
    while (offset < file->count) {
        if (bksi_record_skim(&piece, offset, &record) != BKSI_RECORD_OK) {
            offset = bksi_record_find(&piece, offset);
            continue;
        }
        if (record.type == type && n-- == 0) {
            return record;
        }
        offset = record.end;
    }
    fail_msg("there is no such record");
    return record;
}

static uint8_t *payload_of(memory_file *file, const bksi_record *record)
{
    return file->bytes + record->offset + BKSI_RECORD_HEAD_BYTES;
}

/// Change a byte of a payload and make its check right again: the record lies.
static void lie(memory_file *file, uint32_t type, uint32_t n, size_t at, uint8_t change)
{
    const bksi_record record = find(file, type, n);
    payload_of(file, &record)[at] ^= change;
    (void)bksi_record_seal(file->bytes + record.offset, type, record.payload_bytes, record.offset);
}

/// Change a byte of a payload, so that its check is wrong.
static void damage(memory_file *file, uint32_t type, uint32_t n)
{
    const bksi_record record = find(file, type, n);
    payload_of(file, &record)[record.payload_bytes / 2] ^= 0x20;
}

/// Cut off everything from a record on.
static void cut_before(memory_file *file, uint32_t type, uint32_t n)
{
    file->count = (size_t)find(file, type, n).offset;
}

// ---- files that can be read ----

static void leave_as_it_is(memory_file *file)
{
    (void)file;
}
static void cut_in_last_record(memory_file *file)
{
    file->count -= 10;
}
static void cut_in_ticks(memory_file *file)
{
    file->count = (size_t)find(file, BKSI_RECORD_TICKS, 3).offset + 30;
}
static void cut_in_slots(memory_file *file)
{
    file->count = (size_t)bksi_tail_offset(find(file, BKSI_RECORD_STATE, 0).end) + 700;
}
static void cut_in_state(memory_file *file)
{
    file->count = (size_t)find(file, BKSI_RECORD_STATE, 0).offset + 20;
}
static void unknown_record(memory_file *file)
{
    bksi_record done = find(file, BKSI_RECORD_DONE, 0);
    uint8_t payload[BKSI_DONE_BYTES];
    memcpy(payload, done.payload, sizeof(payload));
    file->count = (size_t)done.offset;
    append_record(file, BKSI_RECORD_TYPE('l', 'a', 't', 'r'), "from a later version", 20);
    append_record(file, BKSI_RECORD_DONE, payload, sizeof(payload));
}
static void unknown_event(memory_file *file)
{
    lie(file, BKSI_RECORD_EVENT, 0, 1, 0x40);
}

static bks_replay_writer *begin(memory_file *file, const bks_replay_detail *detail, bks_tick first)
{
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.detail = *detail;
    config.first_tick = first;
    config.state = &walk_what_happened()->states[first];
    config.page_hashes = walk_what_happened()->pages[first];
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    return writer;
}

/// A part of the match, of which only every third tick was hashed.
static void record_part(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.hash_bits = 64, .chunk_ticks = 30};
    bks_replay_writer *writer = begin(file, &detail, 40);
    for (bks_tick tick = 40; tick < TICKS; tick++) {
        assert_int_equal(bks_replay_writer_confirm(writer, tick, truth->inputs[tick],
                                                   tick % 3 == 0 ? &truth->hashes[tick] : NULL),
                         BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Inputs that a writer gave up coding: no match that can be played makes it, so it has no room
/// here.
static void record_plain(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 20};
    bks_replay_writer *writer = begin(file, &detail, 0);
    const size_t capacity = writer->coded.capacity;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        writer->coded.capacity = tick / 20 % 2 == 1 ? 4 : capacity;
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// A match whose steps asked: the answer to question q at tick t is t + q bytes of value q.
static void record_facts(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 20};
    bks_replay_writer *writer = begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        for (uint32_t question = 1; question <= (tick % 10 == 0 ? 2 : 0); question++) {
            uint8_t answer[WALK_TICKS_MAX];
            memset(answer, (int)question, sizeof(answer));
            assert_int_equal(
                bks_replay_writer_fact(writer, tick, question, answer, (size_t)tick + question),
                BKS_OK);
        }
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

// ---- files that are damaged or lie ----

static void cut_in_head(memory_file *file)
{
    file->count = 100;
}
static void other_file(memory_file *file)
{
    file->count = 0;
    append(file, "RIFF, perhaps", 13);
}
static void later_version(memory_file *file)
{
    bksi_put_u32(file->bytes + 8, 3);
    bksi_put_u32(file->bytes + 12, bksi_check32(file->bytes, 12, 0));
}
static void damaged_version(memory_file *file)
{
    file->bytes[8] ^= 2;
}
static void damaged_head(memory_file *file)
{
    damage(file, BKSI_RECORD_HEAD, 0);
}
static void head_without_players(memory_file *file)
{
    lie(file, BKSI_RECORD_HEAD, 0, 5 + 4 + 12 + 4, 2); // "walk", version, "walk 3 test", rate
}
static void damaged_state(memory_file *file)
{
    damage(file, BKSI_RECORD_STATE, 0);
}
static void state_of_another_length(memory_file *file)
{
    lie(file, BKSI_RECORD_STATE, 0, 0, 1);
}
static void damaged_padding(memory_file *file)
{
    const bksi_record state = find(file, BKSI_RECORD_STATE, 0);
    assert_true(bksi_tail_offset(state.end) > state.end + 1);
    file->bytes[state.end + 1] = 1;
}
static void damaged_tail(memory_file *file)
{
    file->bytes[bksi_tail_offset(find(file, BKSI_RECORD_STATE, 0).end) + 100] ^= 1;
}
static void damaged_ticks(memory_file *file)
{
    damage(file, BKSI_RECORD_TICKS, 2);
}
static void damaged_length(memory_file *file)
{
    file->bytes[find(file, BKSI_RECORD_TICKS, 2).offset + 5] ^= 0x40;
}
static void damaged_keyframe(memory_file *file)
{
    damage(file, BKSI_RECORD_KEYFRAME, 2);
}
static void damaged_values(memory_file *file)
{
    damage(file, BKSI_RECORD_VALUES, 1);
}
static void two_parts_damaged(memory_file *file)
{
    damage(file, BKSI_RECORD_TICKS, 1);
    damage(file, BKSI_RECORD_TICKS, 6);
}
static void bytes_behind_the_end(memory_file *file)
{
    append(file, "!", 1);
}
static void later_record(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    append_record(file, BKSI_RECORD_TYPE('Z', 'T', 'I', 'C'), "packed", 6);
}
static void gap(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    const uint8_t chunk[] = {TICKS + 1, 1, 2, 0};
    append_record(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void doubled_ticks(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    const uint8_t chunk[] = {TICKS - 1, 1, 2, 0};
    append_record(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void coded_behind_plain(memory_file *file)
{
    lie(file, BKSI_RECORD_TICKS, 2, 2, 2); // no restart, it says
}
static void plain_inputs_with_bits_behind(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    const uint8_t plain[] = {TICKS, 1, 2, 0x80};
    append_record(file, BKSI_RECORD_TICKS, plain, sizeof(plain));
}
static void coded_inputs_with_bytes_behind(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    const uint8_t coded[] = {TICKS, 1, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    append_record(file, BKSI_RECORD_TICKS, coded, sizeof(coded));
}
static void flags_of_no_meaning(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    const uint8_t chunk[] = {TICKS, 1, 2 | 16, 0};
    append_record(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void keyframe_told_by_none(memory_file *file)
{
    lie(file, BKSI_RECORD_KEYFRAME, 5, 12, 1);
}
static void keyframe_not_later(memory_file *file)
{
    lie(file, BKSI_RECORD_KEYFRAME, 5, 0, 24 ^ 20);
}
static void keyframe_of_another_length(memory_file *file)
{
    lie(file, BKSI_RECORD_KEYFRAME, 0, 4, 1);
}
static void event_with_bytes_behind(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    append_record(file, BKSI_RECORD_EVENT, "\5\4\0\0\0\2no!", 9);
}
static void values_not_later(memory_file *file)
{
    lie(file, BKSI_RECORD_VALUES, 2, 0, 20 ^ 10);
}
static void rollback_before_the_start(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    append_record(file, BKSI_RECORD_ROLLBACKS, "\2\3\1\0", 4);
}
static void fact_without_an_answer(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    append_record(file, BKSI_RECORD_FACT, "\5\0\0\0\1\0\0\0", 8);
}
static void fact_of_an_earlier_tick(memory_file *file)
{
    lie(file, BKSI_RECORD_FACT, 6, 0, 30 ^ 10);
}
static void index_of_another_tick(memory_file *file)
{
    lie(file, BKSI_RECORD_INDEX, 0, 9, 1);
}
static void index_of_another_place(memory_file *file)
{
    lie(file, BKSI_RECORD_INDEX, 0, 8 + 3 * 13 + 5, 1);
}
static void done_with_other_ticks(memory_file *file)
{
    lie(file, BKSI_RECORD_DONE, 0, 0, 1);
}
static void done_with_another_index(memory_file *file)
{
    lie(file, BKSI_RECORD_DONE, 0, 13, 1);
}
static void head_twice(memory_file *file)
{
    cut_before(file, BKSI_RECORD_DONE, 0);
    append_record(file, BKSI_RECORD_HEAD, "x", 1);
}
static void tail_that_lies(memory_file *file)
{
    const size_t slots = (size_t)bksi_tail_offset(find(file, BKSI_RECORD_STATE, 0).end);
    for (size_t block = slots; block < slots + 4 * BKSI_BLOCK_BYTES; block += BKSI_BLOCK_BYTES) {
        uint8_t *at = file->bytes + block;
        if (bksi_get_u32(at + 4) != 0) {
            at[BKSI_BLOCK_HEAD_BYTES] ^=
                0x40; // where the records ended: before the newest keyframe
            at[BKSI_BLOCK_HEAD_BYTES + 1] = 0;
            bksi_put_u32(at, bksi_check32(at + 4, BKSI_BLOCK_BYTES - 4, (uint32_t)block));
        }
    }
}

const golden_change golden_changes[] = {
    {"complete", true, leave_as_it_is, NULL},
    {"stopped", false, leave_as_it_is, NULL},
    {"part", true, leave_as_it_is, record_part},
    {"plain", true, leave_as_it_is, record_plain},
    {"facts", true, leave_as_it_is, record_facts},
    {"cut_in_last_record", true, cut_in_last_record, NULL},
    {"cut_in_ticks", true, cut_in_ticks, NULL},
    {"cut_in_slots", true, cut_in_slots, NULL},
    {"cut_in_state", true, cut_in_state, NULL},
    {"unknown_record", true, unknown_record, NULL},
    {"unknown_event", true, unknown_event, NULL},
    {"bad_cut_in_head", true, cut_in_head, NULL},
    {"bad_other_file", true, other_file, NULL},
    {"bad_later_version", true, later_version, NULL},
    {"bad_version", true, damaged_version, NULL},
    {"bad_head", true, damaged_head, NULL},
    {"bad_head_without_players", true, head_without_players, NULL},
    {"bad_state", true, damaged_state, NULL},
    {"bad_state_length", true, state_of_another_length, NULL},
    {"bad_padding", true, damaged_padding, NULL},
    {"bad_tail", true, damaged_tail, NULL},
    {"bad_tail_lies", false, tail_that_lies, NULL},
    {"bad_ticks", true, damaged_ticks, NULL},
    {"bad_length", true, damaged_length, NULL},
    {"bad_keyframe", true, damaged_keyframe, NULL},
    {"bad_values", true, damaged_values, NULL},
    {"bad_twice", true, two_parts_damaged, NULL},
    {"bad_bytes_behind", true, bytes_behind_the_end, NULL},
    {"bad_later_record", true, later_record, NULL},
    {"bad_gap", true, gap, NULL},
    {"bad_doubled_ticks", true, doubled_ticks, NULL},
    {"bad_coded_behind_plain", true, coded_behind_plain, record_plain},
    {"bad_plain_bits", true, plain_inputs_with_bits_behind, NULL},
    {"bad_coded_bytes", true, coded_inputs_with_bytes_behind, NULL},
    {"bad_flags", true, flags_of_no_meaning, NULL},
    {"bad_keyframe_before", true, keyframe_told_by_none, NULL},
    {"bad_keyframe_tick", true, keyframe_not_later, NULL},
    {"bad_keyframe_length", true, keyframe_of_another_length, NULL},
    {"bad_event", true, event_with_bytes_behind, NULL},
    {"bad_values_tick", true, values_not_later, NULL},
    {"bad_rollback", true, rollback_before_the_start, NULL},
    {"bad_fact", true, fact_without_an_answer, NULL},
    {"bad_fact_tick", true, fact_of_an_earlier_tick, record_facts},
    {"bad_index_tick", true, index_of_another_tick, NULL},
    {"bad_index_place", true, index_of_another_place, NULL},
    {"bad_done_ticks", true, done_with_other_ticks, NULL},
    {"bad_done_index", true, done_with_another_index, NULL},
    {"bad_head_twice", true, head_twice, NULL},
};
const size_t golden_change_count = sizeof(golden_changes) / sizeof(golden_changes[0]);

void golden_make(const golden_change *change, memory_file *file)
{
    memory_file_init(file);
    if (change->record != NULL) {
        change->record(file);
    } else {
        walk_record_with(file, TICKS, change->finish, &everything);
    }
    change->change(file);
}
