// SPDX-License-Identifier: MIT

// Golden files with content that the others do not have, and files that were cut off.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "golden_changes.h"
#include "replay/format/replay_evidence.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"
#include "replay/format/replay_tail.h"
#include "replay/write/packed_writer.h"
#include "replay/write/writer.h"

#define FACT_TICKS 100

/// Record more keyframes than an index has entries.
static void record_two_indexes(memory_file *file)
{
    const bks_replay_detail detail = {.keyframe_ticks = 1, .keyframe_bytes = UINT64_C(1) << 30};
    walk_record_with(file, 300, true, &detail);
}

static void record_later(memory_file *file, bool finish)
{
    const bks_replay_detail detail = {.chunk_ticks = 16,
                                      .keyframe_ticks = 8,
                                      .keyframe_bytes = UINT64_C(1) << 30,
                                      .page_hashes = true,
                                      .rollbacks = true,
                                      .values = true};
    walk_record_part(file, 12, 90, finish, &detail);
}

/// Record everything that a file can hold, from a later tick on.
static void record_later_finished(memory_file *file)
{
    record_later(file, true);
}

static void record_later_stopped(memory_file *file)
{
    record_later(file, false);
}

/// Record a match without any hash.
static void record_without_hashes(memory_file *file)
{
    const bks_replay_detail detail = {.chunk_ticks = 40};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < 100; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, walk_what_happened()->inputs[tick], NULL),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Append a record whose content is not packed.
static size_t put_content(bksi_byte_writer *record, const bksi_byte_writer *content)
{
    bksi_write_varint(record, content->at);
    bksi_write_u8(record, 0);
    bksi_write_bytes(record, content->bytes, content->at);
    assert_false(record->failed || content->failed);
    return record->at;
}

/// Append evidence with every kind of part, among them one of a later version.
static size_t write_evidence(uint8_t *out, size_t capacity)
{
    uint8_t bytes[2048];
    uint8_t state[128];
    for (size_t i = 0; i < sizeof(state); i++) {
        state[i] = (uint8_t)(i * i);
    }
    const bksi_evidence_head head = {
        .tick = 90, .peer = 1, .own_bytes = sizeof(state), .peer_bytes = sizeof(state)};
    const bks_replay_pair pair = {"locale", "numbers C, order C"};
    bksi_byte_writer content = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_byte_writer record = bksi_byte_writer_over(out, capacity);
    bksi_evidence_write_head(&record, &head);
    bksi_evidence_write_text(&content, "tick 90, x[0]: ours 1, 3 of peer 1");
    bksi_evidence_write_environment(&content, &pair);
    bksi_write_u32(&content, 0x01020263); // kind 99, of two bytes
    bksi_evidence_write_block(&content, 1, state + 64, state);
    memcpy(bksi_evidence_begin_state(&content, 0, sizeof(state)), state, sizeof(state));
    memset(bksi_evidence_begin_pages(&content, 89, 3), 5, 12);
    return put_content(&record, &content);
}

/// Append a log with entries of every kind, and one of a later version.
static size_t write_log(uint8_t *out, size_t capacity)
{
    uint8_t bytes[2048];
    bksi_log_cursor cursor = {.time_us = 5000};
    bksi_byte_writer content = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_byte_writer record = bksi_byte_writer_over(out, capacity);
    bksi_log_write_head(&record, 5000, 60);
    for (uint32_t i = 0; i < 60; i++) {
        const bks_log_entry entry = {.kind = (bks_entry_kind)(i % (BKS_ENTRY_EVENT + 2)),
                                     .time_us = 5000 + i / 4 * 16667,
                                     .tick = (bks_tick)(i * 37 % 91) - 1,
                                     .number = i % 3 == 0 ? 255 : i % 3,
                                     .reason = i % 2,
                                     .value = i * i * i * 977};
        bksi_log_write(&content, &cursor, &entry);
    }
    return put_content(&record, &content);
}

static void record_evidence(memory_file *file)
{
    static uint8_t room[4096];
    const size_t most = sizeof(room) - BKSI_RECORD_EXTRA_BYTES;
    const bks_replay_detail detail = {.chunk_ticks = 40};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < 100; tick++) {
        const walk_truth *truth = walk_what_happened();
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    size_t bytes = write_evidence(room + BKSI_RECORD_HEAD_BYTES, most);
    assert_int_equal(bksi_writer_append_evidence(writer, room, bytes), BKS_OK);
    bytes = write_log(room + BKSI_RECORD_HEAD_BYTES, most);
    assert_int_equal(bksi_writer_append_log(writer, room, bytes), BKS_OK);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

static void add_state(uint8_t *row, size_t capacity, size_t *count, const char *mark,
                      uint8_t states[2][64], bool is_whole)
{
    uint8_t delta[192];
    bksi_mark_entry entry = {.is_whole = is_whole, .state_bytes = 64, .delta = delta};
    (void)snprintf(entry.name, sizeof(entry.name), "%s", mark);
    entry.delta_bytes =
        bksi_delta_write(delta, sizeof(delta), states[0], is_whole ? 0 : 64, states[1], 64);
    assert_true(bksi_mark_entry_write(row, capacity, count, &entry));
}

static void add_note(uint8_t *row, size_t capacity, size_t *count, const char *text)
{
    bksi_mark_entry entry = {.is_note = true};
    (void)snprintf(entry.name, sizeof(entry.name), "%s", text);
    assert_true(bksi_mark_entry_write(row, capacity, count, &entry));
}

/// Append states at marks that are not those of the game: reading them needs no step.
static void record_marks(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 20, .marks = true};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    uint8_t states[2][64] = {{0}};
    for (bks_tick tick = 0; tick < 100; tick++) {
        uint8_t row[1024];
        size_t count = 0;
        memcpy(states[0], states[1], 64);
        states[1][tick % 64]++;
        add_state(row, sizeof(row), &count, "", states, tick % 30 == 0);
        if (tick % 2 == 0) {
            add_note(row, sizeof(row), &count, "before any mark");
        }
        memcpy(states[0], states[1], 64);
        states[1][63 - tick % 64] ^= 0x55;
        add_state(row, sizeof(row), &count, "walk", states, false);
        if (tick % 3 == 0) {
            add_note(row, sizeof(row), &count,
                     "g\xC3\xA9"
                     "ant");
            add_note(row, sizeof(row), &count, "");
        }
        if (tick % 40 != 33) { // ticks without a row, up to tick 60
            assert_int_equal(bks_replay_writer_marks(writer, tick, row, count), BKS_OK);
        }
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[100]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Record a peer that was repaired twice by another peer and once by itself, and another peer's
/// repair. Its second range of wrong ticks overlaps with the first.
static void record_repairs(memory_file *file)
{
    static const bks_replay_repair repairs[] = {
        {.peer = 1, .from = 0, .bytes = 300, .since = 20, .tick = 33, .until = 40},
        {.peer = 2, .from = 0, .bytes = UINT64_MAX, .since = 20, .tick = 33, .until = 20},
        {.peer = 1, .from = 0, .bytes = 64, .since = 35, .tick = 45, .until = 48},
        {.peer = 1, .from = 1, .bytes = 0, .since = 60, .tick = 61, .until = 80},
    };
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 16};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    uint32_t next = 0;
    for (bks_tick tick = 0; tick < 100; tick++) {
        for (; next < 4 && tick >= repairs[next].tick && tick >= repairs[next].until; next++) {
            bks_replay_repair repair = repairs[next];
            bks_replay_agreed agreed[20];
            for (bks_tick t = repair.since; t < repair.until; t += 1 + t % 3) {
                agreed[repair.agreed_count++] = (bks_replay_agreed){t, truth->hashes[t] ^ 1};
            }
            assert_int_equal(bks_replay_writer_repair(writer, &repair, agreed), BKS_OK);
        }
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[100]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Record so few ticks that none is appended. Each is written to the tail slots, the last one with
/// number `last`.
static bks_replay_writer *fill_slots(memory_file *file, bks_tick ticks, uint32_t last)
{
    const bks_replay_detail detail = {.hash_bits = 64, .chunk_ticks = 1024};
    const walk_truth *truth = walk_what_happened();
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < ticks; tick++) {
        if (last != 0 && tick == ticks - 3) {
            writer->sequence = last;
        }
        assert_int_equal(bks_replay_writer_use(writer, tick, 1, truth->inputs[tick]), BKS_OK);
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    return writer;
}

/// Give the newest write number 2, and the one before it 2^32 - 1.
static void record_numbers_around(memory_file *file)
{
    bks_replay_writer *writer = fill_slots(file, 30, UINT32_MAX - 2);
    assert_int_equal(writer->sequence, 2);
    bks_replay_writer_destroy(writer);
}

/// Drop the second block of the newest write.
static void record_torn_tail(memory_file *file)
{
    bks_replay_writer *writer = fill_slots(file, 70, 0);
    const size_t slot = writer->sequence % 2 * writer->slot_blocks;
    uint8_t *second = file->bytes + writer->tail_offset + (slot + 1) * BKSI_BLOCK_BYTES;
    assert_int_equal(bksi_get_u16(second + 10), 2); // blocks of the write
    memset(second, 0, BKSI_BLOCK_BYTES);
    bks_replay_writer_destroy(writer);
}

/// Cut off records, so that the tail begins after the remaining ones.
static void cut_before_tail(memory_file *file)
{
    file->count = (size_t)golden_find(file, BKSI_RECORD_TICKS, 4).offset;
}

static void cut_in_preamble(memory_file *file)
{
    file->count = 10;
}

/// Record a match whose steps asked questions: the answer to question q at tick t is t + q bytes of
/// value q.
void golden_record_facts(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    const bks_replay_detail detail = {.chunk_ticks = 20};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < FACT_TICKS; tick++) {
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
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[FACT_TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Record a match with commands. Every third tick has some of player 1, among them one of 300
/// bytes, and every tenth tick one of player 0.
static void record_commands(memory_file *file)
{
    static uint8_t bytes[2][512];
    const walk_truth *truth = walk_what_happened();
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    bks_game game = walk_game;
    game.command_bytes_max = BKS_COMMAND_BYTES_MAX;
    config.game = &game;
    config.detail = (bks_replay_detail){.chunk_ticks = 20};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < FACT_TICKS; tick++) {
        bks_commands commands[BKS_PLAYERS_MAX] = {{0}};
        for (uint32_t p = 0; p < 2; p++) {
            bksi_byte_writer to = bksi_byte_writer_over(bytes[p], sizeof(bytes[p]));
            const uint32_t sizes[] = {(uint32_t)tick % 7 + 1, p == 1 && tick % 2 == 0 ? 300 : 0};
            for (uint32_t i = 0; i < 2 && tick % (p == 0 ? 10 : 3) == 0; i++) {
                bksi_write_u16(&to, (uint16_t)sizes[i]);
                memset(bytes[p] + to.at, tick + (int)i, sizes[i]);
                to.at += sizes[i];
                to.at -= sizes[i] == 0 ? 2 : 0;
            }
            commands[p] = (bks_commands){bytes[p], (uint32_t)to.at};
        }
        if (commands[0].count > 0 || commands[1].count > 0) {
            assert_int_equal(bks_replay_writer_commands(writer, tick, commands), BKS_OK);
        }
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[FACT_TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Write commands of an earlier tick.
static void commands_of_an_earlier_tick(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_COMMANDS, 6, 0, 15 ^ 3);
}

/// Repeat an earlier question: the first answer counts.
static void fact_twice(memory_file *file)
{
    const bksi_record done = golden_find(file, BKSI_RECORD_DONE, 0);
    uint8_t payload[BKSI_DONE_BYTES];
    memcpy(payload, done.payload, sizeof(payload));
    golden_end_with(file, BKSI_RECORD_FACT, "\x5a\0\0\0\1\0\0\0no", 10);
    golden_append_record(file, BKSI_RECORD_DONE, payload, sizeof(payload));
}

/// Damage the last appended ticks, but not those in the tail slots.
static void damage_before_tail(memory_file *file)
{
    const bksi_record record = golden_find(file, BKSI_RECORD_TICKS, 5);
    file->bytes[record.offset + BKSI_RECORD_HEAD_BYTES + 5] ^= 1;
}

/// Append a keyframe of version 2, which is an unknown record in version 1.
static void later_keyframe(memory_file *file)
{
    const bksi_record done = golden_find(file, BKSI_RECORD_DONE, 0);
    uint8_t payload[BKSI_DONE_BYTES_1];
    memcpy(payload, done.payload, sizeof(payload));
    golden_end_with(file, BKSI_RECORD_KEYFRAME, "of a later version", 18);
    golden_append_record(file, BKSI_RECORD_DONE, payload, sizeof(payload));
}

const golden_change golden_recordings[] = {
    {"two_indexes", true, .record = record_two_indexes},
    {"later", true, .record = record_later_finished},
    {"later_stopped", false, .record = record_later_stopped},
    {"no_hashes", true, .record = record_without_hashes},
    {"marks", true, .record = record_marks},
    {"evidence", true, .record = record_evidence},
    {"repairs", true, .record = record_repairs},
    {"numbers_around", false, .record = record_numbers_around},
    {"torn_tail", false, .record = record_torn_tail},
    {"cut_before_tail", false, .change = cut_before_tail},
    {"commands", true, .record = record_commands},
    {"bad_commands_tick", true, .change = commands_of_an_earlier_tick, .record = record_commands},
    {"fact_twice", true, .change = fact_twice, .record = golden_record_facts},
    {"later_keyframe", true, .change = later_keyframe, .version = 1},
    {"bad_cut_in_preamble", true, .change = cut_in_preamble},
    {"bad_before_tail", false, .change = damage_before_tail},
};
const size_t golden_recording_count = sizeof(golden_recordings) / sizeof(golden_recordings[0]);
