// SPDX-License-Identifier: MIT

// The records `evid` and `mlog`: they read as they were written, and wrong bytes are found.

#include "replay/format/replay_evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/format/replay_format.h"
#include "replay/write/packed_writer.h"

#include "backstitch/toolkit/writer.h"
#include "recording.h"

enum { STATE = 300 };

static const bks_allocator by_default;
static uint8_t state[STATE];
static uint8_t block[64];

/// Write a payload with every kind of part.
static size_t pack_evidence(uint8_t *out, size_t capacity)
{
    bksi_packer *packer =
        bksi_packer_create(BKSI_EVIDENCE_HEAD_BYTES_MAX, BKS_EVIDENCE_BYTES_MAX, &by_default);
    assert_non_null(packer);
    const bks_replay_pair pair = {"locale", "C"};
    const bksi_evidence_head head = {
        .tick = 90, .peer = 3, .own_bytes = STATE, .peer_bytes = STATE - 1};
    for (size_t i = 0; i < STATE; i++) {
        state[i] = (uint8_t)(i / 7);
    }
    memset(block, 9, sizeof(block));
    bksi_byte_writer fixed = bksi_packer_head(packer);
    bksi_byte_writer content = bksi_packer_content(packer);
    bksi_evidence_write_head(&fixed, &head);
    bksi_evidence_write_text(&content, "ships[0].x");
    bksi_evidence_write_environment(&content, &pair);
    bksi_write_u8(&content, 99); // a part of a later version
    bksi_write_varint(&content, 2);
    bksi_write_u16(&content, 1234);
    bksi_evidence_write_block(&content, 3, state + 192, block);
    memcpy(bksi_evidence_begin_state(&content, 0, STATE), state, STATE);
    memset(bksi_evidence_begin_pages(&content, 89, 2), 7, 8);
    const size_t bytes = bksi_packer_pack_sized(packer, &fixed, &content);
    assert_true(bytes <= capacity);
    memcpy(out, bksi_packer_record(packer) + BKSI_RECORD_HEAD_BYTES, bytes);
    bksi_packer_destroy(packer);
    return bytes;
}

static size_t pack_log(uint8_t *out, size_t capacity, uint32_t count)
{
    bksi_packer *packer =
        bksi_packer_create(BKSI_LOG_HEAD_BYTES_MAX, BKSI_LOG_BYTES_MAX, &by_default);
    assert_non_null(packer);
    bksi_byte_writer head = bksi_packer_head(packer);
    bksi_byte_writer content = bksi_packer_content(packer);
    bksi_log_cursor cursor = {.time_us = 5000};
    bksi_log_write_head(&head, 5000, count);
    for (uint32_t i = 0; i < count; i++) {
        const bks_log_entry entry = {.kind = i == 2 ? (bks_entry_kind)77 : BKS_ENTRY_STEP,
                                     .time_us = 5000 + i * 16667,
                                     .tick = i == 1 ? BKS_TICK_NONE : (bks_tick)(i * 1000 % 77),
                                     .number = i % 256,
                                     .reason = i % 2,
                                     .value = UINT32_MAX - i};
        bksi_log_write(&content, &cursor, &entry);
    }
    const size_t bytes = bksi_packer_pack_sized(packer, &head, &content);
    assert_true(bytes <= capacity);
    memcpy(out, bksi_packer_record(packer) + BKSI_RECORD_HEAD_BYTES, bytes);
    bksi_packer_destroy(packer);
    return bytes;
}

/// Make a recording of `walk` with the given evidence and log records.
static void record(memory_file *file, const uint8_t *evidence, size_t evidence_bytes,
                   const uint8_t *log, size_t log_bytes)
{
    static uint8_t room[8192];
    bks_replay_writer *writer = NULL;
    memory_file_init(file);
    const bks_replay_config config = walk_replay_config(memory_file_sink(file));
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const walk_truth *truth = walk_what_happened();
    for (bks_tick tick = 0; tick < 100; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    memcpy(room + BKSI_RECORD_HEAD_BYTES, evidence, evidence_bytes);
    assert_int_equal(bksi_writer_append_evidence(writer, room, evidence_bytes), BKS_OK);
    memcpy(room + BKSI_RECORD_HEAD_BYTES, log, log_bytes);
    assert_int_equal(bksi_writer_append_log(writer, room, log_bytes), BKS_OK);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

typedef struct seen {
    uint32_t parts;
    uint32_t entries;
    uint32_t wanted; ///< 0: all
    bks_log_entry last;
} seen;

static bool see_part(void *context, const bks_evidence_part *part)
{
    seen *s = context;
    static const bks_evidence_kind kinds[] = {BKS_EVIDENCE_TEXT, BKS_EVIDENCE_ENVIRONMENT,
                                              BKS_EVIDENCE_BLOCK, BKS_EVIDENCE_STATE,
                                              BKS_EVIDENCE_PAGES};
    assert_int_equal(part->kind, kinds[s->parts]);
    switch (part->kind) {
    case BKS_EVIDENCE_TEXT:
        assert_string_equal(part->text, "ships[0].x");
        break;
    case BKS_EVIDENCE_ENVIRONMENT:
        assert_string_equal(part->name, "locale");
        assert_string_equal(part->text, "C");
        break;
    case BKS_EVIDENCE_BLOCK:
        assert_int_equal(part->offset_bytes, 192);
        assert_memory_equal(part->own, state + 192, 64);
        assert_memory_equal(part->peer, block, 64);
        break;
    case BKS_EVIDENCE_STATE:
        assert_int_equal(part->offset_bytes, 0);
        assert_int_equal(part->count, STATE);
        assert_memory_equal(part->own, state, STATE);
        break;
    case BKS_EVIDENCE_PAGES:
        assert_int_equal(part->tick, 89);
        assert_int_equal(part->count, 2);
        assert_int_equal(part->hashes[7], 7);
        break;
    }
    s->parts++;
    return s->parts != s->wanted;
}

static bool see_entry(void *context, const bks_log_entry *entry)
{
    seen *s = context;
    s->last = *entry;
    s->entries++;
    return s->entries != s->wanted;
}

static void what_is_written_is_read(void **context)
{
    (void)context;
    uint8_t evidence[2048], log[4096];
    const size_t evidence_bytes = pack_evidence(evidence, sizeof(evidence));
    const size_t log_bytes = pack_log(log, sizeof(log), 300);
    memory_file file;
    record(&file, evidence, evidence_bytes, log, log_bytes);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->is_complete);
    assert_int_equal(info->evidence_count, 1);
    assert_int_equal(info->log_count, 300);
    assert_int_equal(info->evidence_bytes,
                     evidence_bytes + log_bytes + 2 * BKSI_RECORD_EXTRA_BYTES);
    bks_replay_evidence head;
    assert_int_equal(bks_replay_evidence_at(replay, 0, &head), BKS_OK);
    assert_int_equal(head.tick, 90);
    assert_int_equal(head.peer, 3);
    assert_int_equal(head.own_bytes, STATE);
    assert_int_equal(head.peer_bytes, STATE - 1);
    assert_int_equal(bks_replay_evidence_at(replay, 1, &head), BKS_ERR_BAD_ARGUMENT);
    seen s = {0};
    assert_int_equal(bks_replay_evidence_parts(replay, 0, see_part, &s), BKS_OK);
    assert_int_equal(s.parts, 5);
    assert_int_equal(bks_replay_log(replay, see_entry, &s), BKS_OK);
    assert_int_equal(s.entries, 299); // one is of a kind that is not known
    assert_int_equal(s.last.time_us, 5000 + 299 * 16667);
    assert_int_equal(s.last.tick, 299 * 1000 % 77);
    assert_int_equal(s.last.number, 299 % 256);
    assert_int_equal(s.last.value, UINT32_MAX - 299);
    s = (seen){.wanted = 2};
    assert_int_equal(bks_replay_log(replay, see_entry, &s), BKS_OK);
    assert_int_equal(s.entries, 2);
    assert_int_equal(s.last.tick, BKS_TICK_NONE);
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Open a recording whose records have valid checks and the given payloads; -1: the file is
/// damaged.
static int read_given(const uint8_t *evidence, size_t evidence_bytes, const uint8_t *log,
                      size_t log_bytes, bks_status *out_parts, bks_status *out_log)
{
    memory_file file;
    bks_replay *replay = NULL;
    record(&file, evidence, evidence_bytes, log, log_bytes);
    const bks_status status = bks_replay_open(file.bytes, file.count, NULL, &replay, NULL);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->ticks, 100); // the rest is read, whatever these records hold
    const uint32_t found = info->evidence_count;
    seen s = {0};
    *out_parts = BKS_OK;
    if (found > 0) {
        bks_replay_evidence head;
        assert_int_equal(bks_replay_evidence_at(replay, 0, &head), BKS_OK);
        *out_parts = bks_replay_evidence_parts(replay, 0, see_part, &(seen){.wanted = 1});
    }
    *out_log = bks_replay_log(replay, see_entry, &s);
    bks_replay_close(replay);
    memory_file_free(&file);
    return status == BKS_OK ? 0 : -1;
}

static void a_payload_that_is_cut_is_damage(void **context)
{
    (void)context;
    uint8_t evidence[2048], log[4096];
    bks_status parts, entries;
    const size_t evidence_bytes = pack_evidence(evidence, sizeof(evidence));
    const size_t log_bytes = pack_log(log, sizeof(log), 3);
    assert_int_equal(read_given(evidence, evidence_bytes, log, log_bytes, &parts, &entries), 0);
    assert_int_equal(read_given(evidence, 3, log, log_bytes, &parts, &entries), -1);
    assert_int_equal(read_given(evidence, evidence_bytes, log, 2, &parts, &entries), -1);
    assert_int_equal(read_given(evidence, evidence_bytes, log, log_bytes - 1, &parts, &entries),
                     -1);
}

/// Return true if a content of so many parts of a kind reads.
static bool reads_parts(uint32_t kind, uint32_t parts)
{
    static uint8_t bytes[65536];
    const bks_replay_pair pair = {"", ""};
    bksi_byte_writer content = bksi_byte_writer_over(bytes, sizeof(bytes));
    for (uint32_t i = 0; i < parts; i++) {
        if (kind == BKS_EVIDENCE_ENVIRONMENT) {
            bksi_evidence_write_environment(&content, &pair);
        } else if (kind == BKS_EVIDENCE_BLOCK) {
            bksi_evidence_write_block(&content, i, block, block);
        } else {
            bksi_write_u8(&content, (uint8_t)kind); // an empty part of a later version
            bksi_write_u8(&content, 0);
        }
    }
    assert_false(content.failed);
    bksi_evidence_cursor cursor = {.content = bksi_byte_reader_over(bytes, content.at)};
    bks_evidence_part part;
    while (bksi_evidence_next(&cursor, &part)) {
    }
    return !cursor.content.failed;
}

static void too_many_parts_are_damage(void **context)
{
    (void)context;
    static const struct {
        uint32_t kind, most;
    } kinds[] = {{BKS_EVIDENCE_ENVIRONMENT, BKSI_EVIDENCE_PARTS_OF_KIND_MAX},
                 {BKS_EVIDENCE_BLOCK, BKSI_EVIDENCE_PARTS_OF_KIND_MAX},
                 {99, BKSI_EVIDENCE_PARTS_MAX}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_true(reads_parts(kinds[i].kind, kinds[i].most));
        assert_false(reads_parts(kinds[i].kind, kinds[i].most + 1));
    }
}

static void numbers_that_cannot_be_are_damage(void **context)
{
    (void)context;
    static const uint8_t good_log[] = {0, 1, 6, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        uint8_t bytes[16];
        size_t count;
    } wrong[] = {
        {{0, 0, 6, 0, 0, 0, 0, 0, 0, 0}, 10},          // no entries
        {{0, 2, 11, 0}, 15},                           // more than bytes
        {{0, 1, 7, 0, 0, 0, 0, 0, 0, 0}, 10},          // a byte is missing
        {{0, 1, 6, 2, 0, 0, 0, 0, 0, 0}, 10},          // no such packing
        {{0, 1, 0x80, 0x80, 0x40, 1, 0, 0, 0, 0}, 10}, // 2^20 bytes
    };
    uint8_t evidence[2048];
    bks_status parts, entries;
    const size_t evidence_bytes = pack_evidence(evidence, sizeof(evidence));
    assert_int_equal(
        read_given(evidence, evidence_bytes, good_log, sizeof(good_log), &parts, &entries), 0);
    assert_int_equal(entries, BKS_OK);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(
            read_given(evidence, evidence_bytes, wrong[i].bytes, wrong[i].count, &parts, &entries),
            -1);
    }
}

static void a_content_that_makes_no_sense_is_found_when_it_is_read(void **context)
{
    (void)context;
    static const uint8_t log[] = {0, 1, 6, 0, 0, 0, 0, 0, 0, 0x80};  // a varint without an end
    static const uint8_t more[] = {0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0}; // more than its entries
    static const uint8_t good_log[] = {0, 1, 6, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        uint8_t bytes[16];
        size_t count;
    } wrong[] = {
        {{9, 1, 0, 0, 3, 0, 1, 9, 0}, 9},        // a text longer than its part
        {{9, 1, 0, 0, 3, 0, 1, 1, 5}, 9},        // likewise
        {{9, 1, 0, 0, 4, 0, 1, 2, 1, 9}, 10},    // a text that is no ASCII
        {{9, 1, 0, 0, 3, 0, 4, 1, 0}, 9},        // no byte of the state
        {{9, 1, 0, 0, 5, 0, 5, 3, 9, 1, 1}, 11}, // half a hash
        {{9, 1, 0, 0, 4, 0, 3, 2, 0, 0}, 10},    // half a block
        {{9, 1, 0, 0, 4, 0, 1, 2, 0, 0}, 10},    // a byte behind the text
        {{9, 1, 0, 0, 2, 0, 3, 0x80}, 8},        // no length
    };
    bks_status parts, entries;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(read_given(wrong[i].bytes, wrong[i].count, good_log, sizeof(good_log),
                                    &parts, &entries),
                         0);
        assert_int_equal(parts, BKS_ERR_DAMAGED);
    }
    uint8_t evidence[2048];
    const size_t evidence_bytes = pack_evidence(evidence, sizeof(evidence));
    assert_int_equal(read_given(evidence, evidence_bytes, log, sizeof(log), &parts, &entries), 0);
    assert_int_equal(entries, BKS_ERR_DAMAGED);
    assert_int_equal(read_given(evidence, evidence_bytes, more, sizeof(more), &parts, &entries), 0);
    assert_int_equal(entries, BKS_ERR_DAMAGED);
}

static void a_null_is_refused(void **context)
{
    (void)context;
    bks_replay_evidence head;
    assert_int_equal(bks_replay_evidence_at(NULL, 0, &head), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_evidence_parts(NULL, 0, see_part, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_log(NULL, see_entry, NULL), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_payload_that_is_cut_is_damage),
        cmocka_unit_test(numbers_that_cannot_be_are_damage),
        cmocka_unit_test(too_many_parts_are_damage),
        cmocka_unit_test(a_content_that_makes_no_sense_is_found_when_it_is_read),
        cmocka_unit_test(a_null_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
