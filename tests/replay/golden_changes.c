// SPDX-License-Identifier: MIT

#include "golden_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
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
    .values = true,
};

// ---- files that can be read ----

/// Change a byte of a payload, so that its check is wrong.
static void damage(memory_file *file, uint32_t type, uint32_t n)
{
    const bksi_record record = golden_find(file, type, n);
    file->bytes[record.offset + BKSI_RECORD_HEAD_BYTES + record.payload_bytes / 2] ^= 0x20;
}

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
    file->count = (size_t)golden_find(file, BKSI_RECORD_TICKS, 3).offset + 30;
}
static void cut_in_slots(memory_file *file)
{
    file->count = golden_slots(file) + 700;
}
static void cut_in_state(memory_file *file)
{
    file->count = (size_t)golden_find(file, BKSI_RECORD_STATE, 0).offset + 20;
}
static void unknown_record(memory_file *file)
{
    bksi_record done = golden_find(file, BKSI_RECORD_DONE, 0);
    uint8_t payload[BKSI_DONE_BYTES];
    memcpy(payload, done.payload, sizeof(payload));
    file->count = (size_t)done.offset;
    golden_append_record(file, BKSI_RECORD_TYPE('l', 'a', 't', 'r'), "from a later version", 20);
    golden_append_record(file, BKSI_RECORD_DONE, payload, sizeof(payload));
}
static void unknown_event(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_EVENT, 0, 1, 0x40);
}

/// Record a part of the match of which only every third tick was hashed.
static void record_part(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.hash_bits = 64, .chunk_ticks = 30};
    bks_replay_writer *writer = golden_begin(file, &detail, 40);
    for (bks_tick tick = 40; tick < TICKS; tick++) {
        assert_int_equal(bks_replay_writer_confirm(writer, tick, truth->inputs[tick],
                                                   tick % 3 == 0 ? &truth->hashes[tick] : NULL),
                         BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Inputs that a writer gave up coding cannot be made here, because no playable match has them.
static void record_plain(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 20};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
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

// ---- files that are damaged or lie ----

static void cut_in_head(memory_file *file)
{
    file->count = 100;
}
static void other_file(memory_file *file)
{
    file->count = 0;
    golden_append(file, "RIFF, perhaps", 13);
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
    golden_lie(file, BKSI_RECORD_HEAD, 0, 5 + 4 + 12 + 4,
               2); // "walk", version, "walk 3 test", rate
}
static void damaged_state(memory_file *file)
{
    damage(file, BKSI_RECORD_STATE, 0);
}
static void state_of_another_length(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_STATE, 0, 0, 1);
}
static void damaged_padding(memory_file *file)
{
    const bksi_record state = golden_find(file, BKSI_RECORD_STATE, 0);
    assert_true(bksi_tail_offset(state.end) > state.end + 1);
    file->bytes[state.end + 1] = 1;
}
static void damaged_tail(memory_file *file)
{
    file->bytes[golden_slots(file) + 100] ^= 1;
}
static void damaged_ticks(memory_file *file)
{
    damage(file, BKSI_RECORD_TICKS, 2);
}
static void damaged_length(memory_file *file)
{
    file->bytes[golden_find(file, BKSI_RECORD_TICKS, 2).offset + 5] ^= 0x40;
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
    golden_append(file, "!", 1);
}
static void later_record(memory_file *file)
{
    golden_end_with(file, BKSI_RECORD_TYPE('Z', 'T', 'I', 'C'), "packed", 6);
}
static void gap(memory_file *file)
{
    const uint8_t chunk[] = {TICKS + 1, 1, 2, 0};
    golden_end_with(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void doubled_ticks(memory_file *file)
{
    const uint8_t chunk[] = {TICKS - 1, 1, 2, 0};
    golden_end_with(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void coded_behind_plain(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_TICKS, 2, 2, 2); // no restart, it says
}
static void plain_inputs_with_bits_behind(memory_file *file)
{
    const uint8_t plain[] = {TICKS, 1, 2, 0x80};
    golden_end_with(file, BKSI_RECORD_TICKS, plain, sizeof(plain));
}
static void coded_inputs_with_bytes_behind(memory_file *file)
{
    const uint8_t coded[] = {TICKS, 1, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    golden_end_with(file, BKSI_RECORD_TICKS, coded, sizeof(coded));
}
static void flags_of_no_meaning(memory_file *file)
{
    const uint8_t chunk[] = {TICKS, 1, 2 | 16, 0};
    golden_end_with(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}
static void keyframe_without_its_base(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_KEYFRAME, 5, 12, 1);
}
static void keyframe_not_later(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_KEYFRAME, 5, 0, 24 ^ 20);
}
static void keyframe_of_another_length(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_KEYFRAME, 0, 4, 1);
}
static void event_with_bytes_behind(memory_file *file)
{
    golden_end_with(file, BKSI_RECORD_EVENT, "\5\4\0\0\0\2no!", 9);
}
static void values_not_later(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_VALUES, 2, 0, 20 ^ 10);
}
static void rollback_before_the_start(memory_file *file)
{
    golden_end_with(file, BKSI_RECORD_ROLLBACKS, "\2\3\1\0", 4);
}
static void fact_without_an_answer(memory_file *file)
{
    golden_end_with(file, BKSI_RECORD_FACT, "\5\0\0\0\1\0\0\0", 8);
}
static void fact_of_an_earlier_tick(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_FACT, 6, 0, 30 ^ 10);
}
static void index_of_another_tick(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_INDEX, 0, 9, 1);
}
static void index_of_another_place(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_INDEX, 0, 8 + 3 * 13 + 5, 1);
}
static void done_with_other_ticks(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_DONE, 0, 0, 1);
}
static void done_with_another_index(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_DONE, 0, 13, 1);
}
static void head_twice(memory_file *file)
{
    golden_end_with(file, BKSI_RECORD_HEAD, "x", 1);
}
static void tail_that_lies(memory_file *file)
{
    const size_t slots = golden_slots(file);
    for (size_t block = slots; block < slots + 4 * BKSI_BLOCK_BYTES; block += BKSI_BLOCK_BYTES) {
        uint8_t *at = file->bytes + block;
        if (bksi_get_u32(at + 4) != 0) {
            at[BKSI_BLOCK_HEAD_BYTES] ^= 0x40; // end of the records before the newest keyframe
            at[BKSI_BLOCK_HEAD_BYTES + 1] = 0;
            bksi_put_u32(at, bksi_check32(at + 4, BKSI_BLOCK_BYTES - 4, (uint32_t)block));
        }
    }
}

static const golden_change golden_changes[] = {
    {"complete", true, .change = leave_as_it_is},
    {"stopped", false, .change = leave_as_it_is},
    {"part", true, .change = leave_as_it_is, .record = record_part},
    {"plain", true, .change = leave_as_it_is, .record = record_plain},
    {"facts", true, .change = leave_as_it_is, .record = golden_record_facts},
    {"cut_in_last_record", true, .change = cut_in_last_record},
    {"cut_in_ticks", true, .change = cut_in_ticks},
    {"cut_in_slots", true, .change = cut_in_slots},
    {"cut_in_state", true, .change = cut_in_state},
    {"unknown_record", true, .change = unknown_record},
    {"unknown_event", true, .change = unknown_event},
    {"bad_cut_in_head", true, .change = cut_in_head},
    {"bad_other_file", true, .change = other_file},
    {"bad_later_version", true, .change = later_version},
    {"bad_version", true, .change = damaged_version},
    {"bad_head", true, .change = damaged_head},
    {"bad_head_without_players", true, .change = head_without_players},
    {"bad_state", true, .change = damaged_state},
    {"bad_state_length", true, .change = state_of_another_length},
    {"bad_padding", true, .change = damaged_padding},
    {"bad_tail", true, .change = damaged_tail},
    {"bad_tail_lies", false, .change = tail_that_lies},
    {"bad_ticks", true, .change = damaged_ticks},
    {"bad_length", true, .change = damaged_length},
    {"bad_keyframe", true, .change = damaged_keyframe},
    {"bad_values", true, .change = damaged_values},
    {"bad_twice", true, .change = two_parts_damaged},
    {"bad_bytes_behind", true, .change = bytes_behind_the_end},
    {"bad_later_record", true, .change = later_record},
    {"bad_gap", true, .change = gap},
    {"bad_doubled_ticks", true, .change = doubled_ticks},
    {"bad_coded_behind_plain", true, .change = coded_behind_plain, .record = record_plain},
    {"bad_plain_bits", true, .change = plain_inputs_with_bits_behind},
    {"bad_coded_bytes", true, .change = coded_inputs_with_bytes_behind},
    {"bad_flags", true, .change = flags_of_no_meaning},
    {"bad_keyframe_before", true, .change = keyframe_without_its_base},
    {"bad_keyframe_tick", true, .change = keyframe_not_later},
    {"bad_keyframe_length", true, .change = keyframe_of_another_length},
    {"bad_event", true, .change = event_with_bytes_behind},
    {"bad_values_tick", true, .change = values_not_later},
    {"bad_rollback", true, .change = rollback_before_the_start},
    {"bad_fact", true, .change = fact_without_an_answer},
    {"bad_fact_tick", true, .change = fact_of_an_earlier_tick, .record = golden_record_facts},
    {"bad_index_tick", true, .change = index_of_another_tick},
    {"bad_index_place", true, .change = index_of_another_place},
    {"bad_done_ticks", true, .change = done_with_other_ticks},
    {"bad_done_index", true, .change = done_with_another_index},
    {"bad_head_twice", true, .change = head_twice},
};
static const size_t golden_change_count = sizeof(golden_changes) / sizeof(golden_changes[0]);

const golden_change *golden_change_at(size_t index)
{
    if (index < golden_change_count) {
        return &golden_changes[index];
    }
    index -= golden_change_count;
    if (index < golden_recording_count) {
        return &golden_recordings[index];
    }
    index -= golden_recording_count;
    return index < golden_lie_count ? &golden_lies[index] : NULL;
}

uint32_t golden_change_version(const golden_change *change)
{
    return change->version == 1 ? 1 : 2;
}

static void take_old(memory_file *file)
{
    size_t count = 0;
    uint8_t *bytes =
        read_whole_file(BKS_TEST_SOURCE_DIR "/tests/golden/replay_1/complete.bks", &count);
    golden_append(file, bytes, count);
    free(bytes);
}

/// Write a changed HEAD and nothing after it, because nothing can be read without HEAD.
static void change_head(memory_file *file, void (*change)(bksi_replay_head *head))
{
    static bksi_replay_head head;
    static uint8_t payload[BKSI_HEAD_BYTES_MAX];
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    assert_int_equal(bksi_replay_head_read(&head, 2, record.payload, record.payload_bytes,
                                           BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES, NULL),
                     BKS_OK);
    change(&head);
    const size_t bytes = bksi_replay_head_write(&head, payload, sizeof(payload));
    assert_true(bytes > 0);
    file->count = BKSI_PREAMBLE_BYTES;
    golden_append_record(file, BKSI_RECORD_HEAD, payload, bytes);
}

void golden_make(const golden_change *change, memory_file *file)
{
    memory_file_init(file);
    if (golden_change_version(change) == 1) {
        take_old(file);
    } else if (change->record != NULL) {
        change->record(file);
    } else {
        walk_record_with(file, TICKS, change->finish, &everything);
    }
    if (change->head != NULL) {
        change_head(file, change->head);
    } else if (change->change != NULL) {
        change->change(file);
    } else if (change->type != 0) {
        golden_end_with(file, change->type, change->payload, change->payload_bytes);
    } else if (change->is_tail) {
        const uint64_t slot = golden_slots(file);
        (void)bksi_tail_write(file->bytes + slot, slot, 1000, (const uint8_t *)change->payload,
                              change->payload_bytes);
    }
}
