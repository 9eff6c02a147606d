// SPDX-License-Identifier: MIT

// Golden files that break one rule of docs/spec/replay.md each, with all checks right.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "golden_changes.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_tail.h"
#include "replay/write/writer.h"

// ---- HEAD ----

static void head_without_a_name(bksi_replay_head *head)
{
    head->game[0] = '\0';
}
static void head_with_many_players(bksi_replay_head *head)
{
    head->players = 17;
}
static void head_without_a_rate(bksi_replay_head *head)
{
    head->tick_rate_hz = 0;
}
static void head_with_a_great_rate(bksi_replay_head *head)
{
    head->tick_rate_hz = 1001;
}
static void head_with_one_block(bksi_replay_head *head)
{
    head->slot_blocks = 1;
}
static void head_with_many_blocks(bksi_replay_head *head)
{
    head->slot_blocks = 65536;
}
static void head_with_slots_at_0(bksi_replay_head *head)
{
    head->tail_offset = 0;
}
static void head_with_slots_between(bksi_replay_head *head)
{
    head->tail_offset += 8;
}
static void head_with_slots_far_away(bksi_replay_head *head)
{
    head->tail_offset = (UINT64_C(1) << 31) + BKSI_BLOCK_BYTES;
}
static void head_without_hash_bits(bksi_replay_head *head)
{
    head->hash_bits = 0;
}
static void head_with_long_hashes(bksi_replay_head *head)
{
    head->hash_bits = 65;
}
static void head_without_full_hashes(bksi_replay_head *head)
{
    head->full_hash_ticks = 0;
}
static void head_with_full_hashes_never(bksi_replay_head *head)
{
    head->full_hash_ticks = UINT32_C(1) << 31;
}
static void head_without_fields(bksi_replay_head *head)
{
    head->field_count = 0;
}
static void head_with_a_nameless_field(bksi_replay_head *head)
{
    head->fields[1].name = "";
}
static void head_with_an_odd_field(bksi_replay_head *head)
{
    head->fields[1].name = "y 2";
}
static void head_with_a_field_twice(bksi_replay_head *head)
{
    head->fields[3].name = "aim";
}
static void head_without_bits(bksi_replay_head *head)
{
    head->fields[2].bits = 0;
}
static void head_with_many_bits(bksi_replay_head *head)
{
    head->fields[2].bits = 32; // not signed
}
static void head_with_a_wrong_neutral(bksi_replay_head *head)
{
    head->fields[0].neutral = 4;
}
static void head_with_a_group_in_parts(bksi_replay_head *head)
{
    head->fields[3].group = 1;
}
static void head_with_wide_inputs(bksi_replay_head *head)
{
    static char names[17][4];
    for (uint32_t i = 0; i < 17; i++) {
        names[i][0] = 'f';
        names[i][1] = (char)('a' + i);
        head->fields[i] = (bks_field){.name = names[i], .bits = 31};
    }
    head->field_count = 17;
}
static void head_with_a_nameless_range(bksi_replay_head *head)
{
    head->ranges[0].name = "";
}
static void head_with_an_empty_range(bksi_replay_head *head)
{
    head->ranges[0].count = 0;
}
static void head_with_an_unknown_type(bksi_replay_head *head)
{
    head->ranges[0].type = (bks_state_type)11;
}
static void head_with_a_range_outside(bksi_replay_head *head)
{
    head->ranges[0].offset_bytes = (UINT64_C(1) << 30) - 7; // of 8 bytes
}

/// Return the last place of these bytes in the payload of HEAD.
static size_t find_in_head(const bksi_record *record, const char *bytes, size_t count)
{
    for (size_t at = record->payload_bytes - count;; at--) {
        assert_true(at > 0);
        if (memcmp(record->payload + at, bytes, count) == 0) {
            return at;
        }
    }
}

/// Change a byte of HEAD at a distance after some other bytes.
static void lie_in_head(memory_file *file, const char *bytes, size_t count, size_t behind,
                        uint8_t change)
{
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    const size_t at = find_in_head(&record, bytes, count) + count + behind;
    golden_lie(file, BKSI_RECORD_HEAD, 0, at, change);
}

// first tick (4), hash_bits (1), full_hash_ticks (4), fields (1), the first one's name
static const char before_fields[] = {0, 0, 0, 0, 20, 20, 0, 0, 0, 4, 1, 'x'};

static void head_with_a_late_first_tick(memory_file *file)
{
    lie_in_head(file, before_fields, sizeof(before_fields), 0 - (size_t)9, 0x80);
}
static void head_with_many_fields(memory_file *file)
{
    lie_in_head(file, before_fields, sizeof(before_fields), 0 - (size_t)3, 4 ^ 65);
}
static void head_with_flags_of_no_meaning(memory_file *file)
{
    lie_in_head(file, "\3aim", 4, 1, 2);
}
static void head_with_an_odd_text(memory_file *file)
{
    lie_in_head(file, "\3map", 3, 0, 0x80);
}
static void head_with_many_options(memory_file *file)
{
    lie_in_head(file, "\2\5speed", 7, 0 - (size_t)7, 0x02 ^ 0x11);
}
static void head_with_much_environment(memory_file *file)
{
    lie_in_head(file, "\6\7library", 9, 0 - (size_t)9, 0x06 ^ 0x11);
}
static void head_with_many_ranges(memory_file *file)
{
    lie_in_head(file, "\3\0\1x", 4, 0 - (size_t)3, 1);
}
static void head_with_a_range_half_recorded(memory_file *file)
{
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    golden_lie(file, BKSI_RECORD_HEAD, 0, record.payload_bytes - 1, 2);
}
static void change_length_of_head(memory_file *file, size_t bytes)
{
    static uint8_t payload[BKSI_HEAD_BYTES_MAX];
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    memcpy(payload, record.payload, record.payload_bytes);
    file->count = BKSI_PREAMBLE_BYTES;
    golden_append_record(file, BKSI_RECORD_HEAD, payload, record.payload_bytes + bytes);
}
static void short_head(memory_file *file)
{
    change_length_of_head(file, 0 - (size_t)1);
}
static void long_head(memory_file *file)
{
    change_length_of_head(file, 1);
}

/// Change the type of a record.
static void rename_record(memory_file *file, uint32_t type, uint32_t other)
{
    const bksi_record record = golden_find(file, type, 0);
    (void)bksi_record_finish(file->bytes + record.offset, other, record.payload_bytes,
                             record.offset);
}
static void no_head(memory_file *file)
{
    rename_record(file, BKSI_RECORD_HEAD, BKSI_RECORD_STATE);
}

// ---- STAT ----

static void no_state(memory_file *file)
{
    rename_record(file, BKSI_RECORD_STATE, BKSI_RECORD_TYPE('l', 'a', 't', 'r'));
}
static void state_elsewhere(memory_file *file)
{
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    const size_t first_tick = find_in_head(&record, before_fields, sizeof(before_fields));
    golden_lie(file, BKSI_RECORD_HEAD, 0, first_tick - 7, 4); // the slots: 1024 bytes further
}
static void empty_state(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_STATE, 0, 0, sizeof(walk_state) & 0xff);
    golden_lie(file, BKSI_RECORD_STATE, 0, 1, sizeof(walk_state) >> 8);
}
static void large_state(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_STATE, 0, 3, 0x40);
}
static void state_with_many_pages(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_STATE, 0, 10, 4);
}
static void state_packed_differently(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_STATE, 0, 12 + 8 * WALK_PAGES, 1 ^ 2);
}

// ---- records ----

static void too_long_a_record(memory_file *file)
{
    file->count = (size_t)golden_find(file, BKSI_RECORD_DONE, 0).offset;
    uint8_t head[BKSI_RECORD_HEAD_BYTES];
    bksi_put_u32(head, BKSI_RECORD_TYPE('l', 'a', 't', 'r'));
    bksi_put_u32(head + 4, (1u << 30) + (1u << 26) + 1);
    bksi_put_u32(head + 8, bksi_check32(head, 8, (uint32_t)file->count));
    golden_append(file, head, sizeof(head));
}
static void first_ticks_that_continue(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_TICKS, 0, 2, 2);
}

/// Keep the writer from restarting the coder.
static void record_long_stretch(memory_file *file)
{
    const bks_replay_detail detail = {.chunk_ticks = 1024};
    bks_replay_writer *writer = golden_begin(file, &detail, 0);
    for (bks_tick tick = 0; tick < 17 * 1024; tick++) {
        const int32_t *inputs =
            walk_what_happened()->inputs[tick < WALK_TICKS_MAX ? tick : WALK_TICKS_MAX - 1];
        writer->stretch = writer->first;
        assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, NULL), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
}

/// Append 8 keyframes after 9, each but the first coded against the one before.
static void deep_keyframe(memory_file *file)
{
    const walk_truth *truth = walk_what_happened();
    uint64_t before = golden_find(file, BKSI_RECORD_KEYFRAME, 24).offset;
    file->count = (size_t)golden_find(file, BKSI_RECORD_DONE, 0).offset;
    for (bks_tick tick = 101; tick <= 108; tick++) {
        static uint8_t payload[37 + sizeof(walk_state) + 16];
        const uint8_t *states[2] = {(const uint8_t *)&truth->states[tick == 101 ? 100 : tick - 1],
                                    (const uint8_t *)&truth->states[tick]};
        bksi_put_u32(payload, (uint32_t)tick);
        bksi_put_u64(payload + 4, sizeof(walk_state));
        bksi_put_u64(payload + 12, before);
        bksi_put_u64(payload + 20, before);
        bksi_put_u64(payload + 28, bksi_hash64(states[1], sizeof(walk_state), 0));
        payload[36] = 0;
        const size_t delta = bksi_delta_write(payload + 37, sizeof(payload) - 37, states[0],
                                              sizeof(walk_state), states[1], sizeof(walk_state));
        before = file->count;
        golden_append_record(file, BKSI_RECORD_KEYFRAME, payload, 37 + delta);
    }
}
static void long_fact(memory_file *file)
{
    static const uint8_t payload[8 + BKS_ANSWER_BYTES_MAX + 1] = {90};
    golden_end_with(file, BKSI_RECORD_FACT, payload, sizeof(payload));
}

/// Write two repairs, each of which is valid alone. Repairs of other peers do not count.
static void repair_of_earlier_ticks(memory_file *file)
{
    static const char first[] = "\1\0\0\x28\1\5";
    static const char another[] = "\2\0\0\x14\1\0";
    static const char second[] = "\1\0\0\x29\1\3"; // ends before the first
    golden_end_with(file, BKSI_RECORD_REPAIR, first, sizeof(first));
    golden_append_record(file, BKSI_RECORD_REPAIR, another, sizeof(another));
    golden_append_record(file, BKSI_RECORD_REPAIR, second, sizeof(second));
}

/// Write the index and DONE again, with other entries.
static void put_index(memory_file *file, const bksi_index *index)
{
    uint8_t payload[BKSI_INDEX_BYTES_MAX];
    const bksi_record done = golden_find(file, BKSI_RECORD_DONE, 0);
    uint8_t end[BKSI_DONE_BYTES];
    memcpy(end, done.payload, sizeof(end));
    file->count = (size_t)golden_find(file, BKSI_RECORD_INDEX, 0).offset;
    golden_append_record(file, BKSI_RECORD_INDEX, payload, bksi_index_write(payload, index));
    golden_append_record(file, BKSI_RECORD_DONE, end, sizeof(end));
}
static void index_with_one_less(memory_file *file)
{
    static bksi_index index;
    const bksi_record record = golden_find(file, BKSI_RECORD_INDEX, 0);
    assert_true(bksi_index_read(&index, record.payload, record.payload_bytes));
    index.count--;
    put_index(file, &index);
}
static void index_in_another_order(memory_file *file)
{
    static bksi_index index;
    const bksi_record record = golden_find(file, BKSI_RECORD_INDEX, 0);
    assert_true(bksi_index_read(&index, record.payload, record.payload_bytes));
    const bksi_index_entry first = index.entries[0];
    index.entries[0] = index.entries[1];
    index.entries[1] = first;
    put_index(file, &index);
}
static void index_with_many_entries(memory_file *file)
{
    static uint8_t payload[BKSI_INDEX_BYTES_MAX + BKSI_INDEX_ENTRY_BYTES];
    golden_end_with(file, BKSI_RECORD_INDEX, payload, sizeof(payload));
}
static void index_of_another_kind(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_INDEX, 0, 8 + BKSI_INDEX_ENTRY_BYTES, 1 ^ 2);
}
static void index_behind_another(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_INDEX, 0, 0, 1);
}
static void done_with_a_hash_of_nothing(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_DONE, 0, 4, 1);
}
static void done_with_half_a_hash(memory_file *file)
{
    golden_lie(file, BKSI_RECORD_DONE, 0, 4, 1 ^ 2);
}

// ---- slots ----

/// Change a byte of the first block of a slot and correct its check.
static void lie_in_block(memory_file *file, uint32_t slot, size_t at, uint8_t change)
{
    const bksi_record head = golden_find(file, BKSI_RECORD_HEAD, 0);
    bksi_replay_head read;
    assert_int_equal(
        bksi_replay_head_read(&read, 2, head.payload, head.payload_bytes, head.offset, NULL),
        BKS_OK);
    const size_t offset = golden_slots(file) + slot * read.slot_blocks * BKSI_BLOCK_BYTES;
    uint8_t *block = file->bytes + offset;
    block[at] ^= change;
    bksi_put_u32(block, bksi_check32(block + 4, BKSI_BLOCK_BYTES - 4, (uint32_t)offset));
}
static void block_without_a_number(memory_file *file)
{
    const size_t slot = golden_slots(file);
    bksi_put_u32(file->bytes + slot + 4, 0);
    lie_in_block(file, 0, 4, 0);
}
static void block_in_another_slot(memory_file *file)
{
    lie_in_block(file, 1, 4, 1);
}
static void block_in_another_place(memory_file *file)
{
    lie_in_block(file, 0, 8, 1);
}
static void block_of_many(memory_file *file)
{
    lie_in_block(file, 0, 10, 0x40);
}
static void block_of_more_bytes(memory_file *file)
{
    lie_in_block(file, 1, 13, 0x10);
}
static void block_with_bytes_behind(memory_file *file)
{
    lie_in_block(file, 1, BKSI_BLOCK_BYTES - 1, 1);
}
static void slot_not_wiped(memory_file *file)
{
    const size_t slot = golden_slots(file);
    (void)bksi_tail_write(file->bytes + slot, slot, 2, (const uint8_t *)"\1\0\144\0\0\0", 6);
}

// ---- version 1 ----

static void old_head_with_three_blocks(memory_file *file)
{
    const bksi_record record = golden_find(file, BKSI_RECORD_HEAD, 0);
    const size_t build = 1 + (size_t)record.payload[0] + 4;
    const size_t at = build + 1 + record.payload[build] + 4 + 4 + 8;
    golden_lie(file, BKSI_RECORD_HEAD, 0, at, record.payload[at] ^ 3);
}

#define HEAD(name, says)                       \
    {                                          \
        "bad_head_" name, true, .head = (says) \
    }
#define LIE(name, letters, bytes)                                 \
    {                                                             \
        "bad_" name, true, .type = (letters), .payload = (bytes), \
                           .payload_bytes = sizeof(bytes) - 1     \
    }
#define OLD_LIE(name, letters, bytes)                                       \
    {                                                                       \
        "bad_" name, true, .type = (letters), .payload = (bytes),           \
                           .payload_bytes = sizeof(bytes) - 1, .version = 1 \
    }
#define TAIL(name, bytes)                                             \
    {                                                                 \
        "bad_tail_" name, false, .is_tail = true, .payload = (bytes), \
                                 .payload_bytes = sizeof(bytes) - 1   \
    }

#define INT32_END "\x80\x80\x80\x80\x08" ///< 2^31, as a varint
#define SIXTEEN   "0123456789abcdef"
#define ONE_BYTE  "\1\0\0\0\0"

#define KEYFRAME(tick, bytes, before, start, packing)                           \
    tick "\0\0\0" bytes "\0\0\0" before "\0\0\0\0\0\0\0" start "\0\0\0\0\0\0\0" \
         "hashhash" packing

const golden_change golden_lies[] = {
    HEAD("name", head_without_a_name),
    HEAD("players", head_with_many_players),
    HEAD("rate_0", head_without_a_rate),
    HEAD("rate", head_with_a_great_rate),
    HEAD("blocks_1", head_with_one_block),
    HEAD("blocks", head_with_many_blocks),
    HEAD("slots_0", head_with_slots_at_0),
    HEAD("slots_between", head_with_slots_between),
    HEAD("slots_far", head_with_slots_far_away),
    HEAD("hash_bits_0", head_without_hash_bits),
    HEAD("hash_bits", head_with_long_hashes),
    HEAD("full_hashes_0", head_without_full_hashes),
    HEAD("full_hashes", head_with_full_hashes_never),
    HEAD("fields_0", head_without_fields),
    HEAD("field_name_0", head_with_a_nameless_field),
    HEAD("field_name", head_with_an_odd_field),
    HEAD("field_twice", head_with_a_field_twice),
    HEAD("field_bits_0", head_without_bits),
    HEAD("field_bits", head_with_many_bits),
    HEAD("field_neutral", head_with_a_wrong_neutral),
    HEAD("field_group", head_with_a_group_in_parts),
    HEAD("fields_wide", head_with_wide_inputs),
    HEAD("range_name", head_with_a_nameless_range),
    HEAD("range_0", head_with_an_empty_range),
    HEAD("range_type", head_with_an_unknown_type),
    HEAD("range_outside", head_with_a_range_outside),
    {"bad_head_first", true, .change = head_with_a_late_first_tick},
    {"bad_head_fields", true, .change = head_with_many_fields},
    {"bad_head_flags", true, .change = head_with_flags_of_no_meaning},
    {"bad_head_text", true, .change = head_with_an_odd_text},
    {"bad_head_options", true, .change = head_with_many_options},
    {"bad_head_environment", true, .change = head_with_much_environment},
    {"bad_head_ranges", true, .change = head_with_many_ranges},
    {"bad_head_recorded", true, .change = head_with_a_range_half_recorded},
    {"bad_head_short", true, .change = short_head},
    {"bad_head_long", true, .change = long_head},
    {"bad_no_head", true, .change = no_head},
    {"bad_no_state", true, .change = no_state},
    {"bad_state_elsewhere", true, .change = state_elsewhere},
    {"bad_state_empty", true, .change = empty_state},
    {"bad_state_large", true, .change = large_state},
    {"bad_state_pages", true, .change = state_with_many_pages},
    {"bad_state_packing", true, .change = state_packed_differently},
    {"bad_too_long", true, .change = too_long_a_record},
    LIE("ticks_0", BKSI_RECORD_TICKS, "\x64\0\2"),
    LIE("ticks_1025", BKSI_RECORD_TICKS, "\x64\x81\x08\2"),
    LIE("ticks_late", BKSI_RECORD_TICKS, "\xff\xff\xff\xff\x07\1\2\0"),
    LIE("ticks_plain_on", BKSI_RECORD_TICKS, "\x64\1\0\0"),
    LIE("ticks_mode", BKSI_RECORD_TICKS, "\x64\1\x0e\0"),
    LIE("ticks_varint", BKSI_RECORD_TICKS, "\xe4\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\1\2\0"),
    LIE("hashes_short", BKSI_RECORD_TICKS, "\x64\1\6\1\2\3"),
    LIE("hashes_padding", BKSI_RECORD_TICKS, "\x64\1\x0a\2\0"),
    LIE("plain_short", BKSI_RECORD_TICKS, "\x64\5\2\0"),
    LIE("plain_no_group", BKSI_RECORD_TICKS, "\x64\1\2\1"),
    LIE("plain_same", BKSI_RECORD_TICKS, "\x64\1\2\x09"),
    LIE("coded_short", BKSI_RECORD_TICKS, "\x64\x80\1\3\xff\xfe"),
    {"bad_first_ticks", true, .change = first_ticks_that_continue},
    {"bad_stretch", true, .record = record_long_stretch},
    LIE("keyframe_late", BKSI_RECORD_KEYFRAME,
        "\0\0\0\x80\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0hashhash\0"
        "1"),
    LIE("keyframe_empty", BKSI_RECORD_KEYFRAME, KEYFRAME("\xff", "\0\0\0\0\0", "\0", "\x10", "\0")),
    LIE("keyframe_large", BKSI_RECORD_KEYFRAME,
        KEYFRAME("\xff", "\1\0\0\x40\0", "\1", "\x10", "\0")),
    LIE("keyframe_start", BKSI_RECORD_KEYFRAME,
        "\xff\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\0\0\0\0\0hashhash\0"
        "1"),
    LIE("keyframe_packing", BKSI_RECORD_KEYFRAME,
        KEYFRAME("\xff", ONE_BYTE, "\0", "\x10", "\2") "1"),
    LIE("keyframe_chained", BKSI_RECORD_KEYFRAME,
        KEYFRAME("\xff", ONE_BYTE, "\1", "\x10", "\0") SIXTEEN "12"),
    {"bad_keyframe_deep", true, .change = deep_keyframe},
    LIE("event_late", BKSI_RECORD_EVENT, INT32_END "\4\0\0\0\2no"),
    LIE("event_text", BKSI_RECORD_EVENT, "\5\4\0\0\0\2n\x7f"),
    LIE("event_number", BKSI_RECORD_EVENT, "\5\4\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0\2no"),
    LIE("event_short", BKSI_RECORD_EVENT, "\5\4\0\0\0\3no"),
    LIE("values_0", BKSI_RECORD_VALUES, "\x64\0\x10\0"),
    LIE("values_1025", BKSI_RECORD_VALUES, "\x64\x81\x08\x10\0"),
    LIE("values_late", BKSI_RECORD_VALUES, "\xff\xff\xff\xff\x07\1\x10\0" SIXTEEN),
    LIE("values_row", BKSI_RECORD_VALUES,
        "\x64\1\x0f\0"
        "0123456789abcde"),
    LIE("values_packing", BKSI_RECORD_VALUES, "\x64\1\x10\2" SIXTEEN),
    LIE("values_short", BKSI_RECORD_VALUES,
        "\x64\1\x10\0"
        "0123456789abcde"),
    LIE("pages_0", BKSI_RECORD_PAGES, "\x64\1\0\0"),
    LIE("pages_row", BKSI_RECORD_PAGES,
        "\x64\1\6\0"
        "012345"),
    LIE("pages_large", BKSI_RECORD_PAGES, "\x64\1\x84\x80\1\0"),
    LIE("rollback_0", BKSI_RECORD_ROLLBACKS, "\5\0\0"),
    LIE("rollback_513", BKSI_RECORD_ROLLBACKS, "\xd8\4\x81\4\0"),
    LIE("rollback_late", BKSI_RECORD_ROLLBACKS, INT32_END "\1\1\0"),
    LIE("rollback_bits", BKSI_RECORD_ROLLBACKS, "\5\1\1\x80"),
    LIE("rollback_short", BKSI_RECORD_ROLLBACKS, "\5\1\x09\0"),
    LIE("evidence_late", BKSI_RECORD_EVIDENCE, INT32_END "\1\0\0\1\0x"),
    LIE("evidence_state", BKSI_RECORD_EVIDENCE, "\5\1\x81\x80\x80\x80\4\0\1\0x"),
    LIE("evidence_empty", BKSI_RECORD_EVIDENCE, "\5\1\0\0\0\0"),
    LIE("evidence_packing", BKSI_RECORD_EVIDENCE, "\5\1\0\0\1\2x"),
    LIE("evidence_short", BKSI_RECORD_EVIDENCE, "\5\1\0\0\2\0x"),
    LIE("log_empty", BKSI_RECORD_LOG, "\0\0\1\0x"),
    LIE("log_many", BKSI_RECORD_LOG, "\0\2\1\0x"),
    LIE("log_packing", BKSI_RECORD_LOG, "\0\1\1\2x"),
    LIE("log_short", BKSI_RECORD_LOG, "\0\1\2\0x"),
    LIE("repair_tick", BKSI_RECORD_REPAIR, "\1\0\0\x28\0\0\0"),
    LIE("repair_late", BKSI_RECORD_REPAIR, "\1\0\0\xff\xff\xff\xff\x07\1\0\0"),
    LIE("repair_long", BKSI_RECORD_REPAIR, "\1\0\0\x28\1\xff\xff\xff\xff\x07\0"),
    LIE("repair_257", BKSI_RECORD_REPAIR, "\1\0\0\x28\1\2\x81\2"),
    LIE("repair_behind", BKSI_RECORD_REPAIR, "\1\0\0\x28\1\2\1\2right..."),
    LIE("repair_short", BKSI_RECORD_REPAIR, "\1\0\0\x28\1\2\1\1right.."),
    LIE("repair_more", BKSI_RECORD_REPAIR, "\1\0\0\x28\1\2\0!"),
    {"bad_repair_order", true, .change = repair_of_earlier_ticks},
    LIE("fact_late", BKSI_RECORD_FACT, "\0\0\0\x80\1\0\0\0no"),
    {"bad_fact_long", true, .change = long_fact},
    LIE("commands_late", BKSI_RECORD_COMMANDS, "\0\0\0\x80\0\0\3\0\0\0\1\0!"),
    LIE("commands_empty", BKSI_RECORD_COMMANDS, "\5\0\0\0\0"),
    LIE("commands_packing", BKSI_RECORD_COMMANDS, "\5\0\0\0\2\0\3\0\0\0\1\0!"),
    LIE("commands_short", BKSI_RECORD_COMMANDS, "\5\0\0\0"),
    LIE("index_short", BKSI_RECORD_INDEX, "\0\0\0\0\0\0\0\0\0"),
    {"bad_index_long", true, .change = index_with_many_entries},
    {"bad_index_kind", true, .change = index_of_another_kind},
    {"bad_index_less", true, .change = index_with_one_less},
    {"bad_index_order", true, .change = index_in_another_order},
    {"bad_index_before", true, .change = index_behind_another},
    LIE("done_short", BKSI_RECORD_DONE, "\x64\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    {"bad_done_flag", true, .change = done_with_half_a_hash},
    {"bad_done_hash", true, .change = done_with_a_hash_of_nothing},
    {"bad_block_number", false, .change = block_without_a_number},
    {"bad_block_slot", false, .change = block_in_another_slot},
    {"bad_block_place", false, .change = block_in_another_place},
    {"bad_block_count", false, .change = block_of_many},
    {"bad_block_bytes", false, .change = block_of_more_bytes},
    {"bad_block_behind", false, .change = block_with_bytes_behind},
    {"bad_tail_in_complete", true, .change = slot_not_wiped},
    TAIL("ticks", "\x7f\0\x54\x80\x20\1\0"),
    TAIL("inputs", "\x7f\0\x54\0\1\2\0\0"),
    TAIL("hashes", "\x7f\0\x54\1\0\1\0\2"),
    TAIL("short", "\x7f\0\x54\0\1\x09\0"),
    TAIL("late", "\x7f\0\xff\xff\xff\xff\x07\1\0\1\0\0"),
    {"bad_blocks_3", true, .change = old_head_with_three_blocks, .version = 1},
    OLD_LIE("used", BKSI_RECORD_TICKS, "\x32\0\1\1\0"),
    OLD_LIE("no_ticks", BKSI_RECORD_TICKS, "\x32\0\0\0"),
    OLD_LIE("bits", BKSI_RECORD_TICKS, "\x32\1\0\1\x80\0"),
    OLD_LIE("hashes", BKSI_RECORD_TICKS, "\x32\1\0\1\0\2"),
    OLD_LIE("fact", BKSI_RECORD_FACT, "\x05\0\0\0\1\0\0\0no"),
    OLD_LIE("done_flag", BKSI_RECORD_DONE, "\x32\0\0\0\2\0\0\0\0\0\0\0\0"),
    OLD_LIE("done_long", BKSI_RECORD_DONE, "\x32\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    OLD_LIE("done_ticks", BKSI_RECORD_DONE, "\x33\0\0\0\0\0\0\0\0\0\0\0\0"),
};
const size_t golden_lie_count = sizeof(golden_lies) / sizeof(golden_lies[0]);
