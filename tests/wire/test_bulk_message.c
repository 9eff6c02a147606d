// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/seed.h"
#include "wire/small_messages.h"
#include "wire/wire_bytes.h"

static size_t write(const bksi_bulk_message *message, uint8_t *bytes, size_t room)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, room);
    bksi_bulk_message_write(&writer, message);
    assert_false(writer.failed);
    return writer.at;
}

/// Compare two messages without their data, which ends with the copy.
static bool read(const uint8_t *bytes, size_t count, bksi_bulk_message *message)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_bulk_message_read(&reader, message);
    message->data = is_ok ? bytes + (message->data - copy) : NULL;
    free(copy);
    return is_ok;
}

static void the_examples_bytes_are_these(void **context)
{
    (void)context;
    uint8_t bytes[64];
    const bksi_bulk_message both = {
        .has_report = true,
        .report = {.floor = 0x01020304, .window = 300, .count = 2, .parts = {{5, 7}, {20, 150}}},
        .has_data = true,
        .place = 0xA0B0C0D0,
        .bytes = 2,
        .data = (const uint8_t *)"ab",
    };
    const uint8_t wanted[] = {3,  4,    3, 2,    1,    0xAC, 2,    2,   5,  2,
                              13, 0x82, 1, 0xD0, 0xC0, 0xB0, 0xA0, 'a', 'b'};
    assert_int_equal(write(&both, bytes, sizeof(bytes)), sizeof(wanted));
    assert_memory_equal(bytes, wanted, sizeof(wanted));
    bksi_bulk_message back;
    assert_true(read(bytes, sizeof(wanted), &back));
    assert_int_equal(back.place, both.place);
    assert_int_equal(back.bytes, 2);
    assert_memory_equal(back.data, "ab", 2);
    assert_int_equal(back.report.count, 2);
    assert_memory_equal(back.report.parts, both.report.parts, 2 * sizeof(bksi_bulk_part));
    assert_false(back.is_lane || bksi_bulk_message_is_lane(bytes, sizeof(wanted)));
}

static void a_message_of_the_lane_says_so(void **context)
{
    (void)context;
    uint8_t bytes[16];
    const bksi_bulk_message lane = {
        .is_lane = true, .has_data = true, .bytes = 1, .data = (const uint8_t *)"a"};
    assert_int_equal(write(&lane, bytes, sizeof(bytes)), 6);
    assert_memory_equal(bytes, "\6\0\0\0\0a", 6);
    assert_true(bksi_bulk_message_is_lane(bytes, 6));
    assert_false(bksi_bulk_message_is_lane(bytes, 0));
    bksi_bulk_message back;
    assert_true(read(bytes, 6, &back));
    assert_true(back.is_lane && back.has_data && !back.has_report && back.bytes == 1);
    bytes[0] = 4; // neither data nor a report
    assert_false(read(bytes, 1, &back));
    bytes[0] = 10; // an unknown bit
    assert_false(read(bytes, 6, &back));
}

static void bytes_that_are_no_bulk_message_are_refused(void **context)
{
    (void)context;
    const struct {
        size_t count;
        uint8_t bytes[16];
    } wrong[] = {
        {0, {0}},                                        // nothing
        {1, {0}},                                        // neither report nor data
        {5, {4, 0, 0, 0, 0}},                            // an unknown bit
        {4, {2, 0, 0, 0}},                               // a place cut short
        {6, {1, 0, 0, 0, 0, 5}},                         // no number of parts
        {8, {1, 0, 0, 0, 0, 5, 0, 9}},                   // more than the message says
        {9, {1, 0, 0, 0, 0, 5, 1, 0, 2}},                // a part at the floor
        {9, {1, 0, 0, 0, 0, 5, 1, 2, 0}},                // an empty part
        {9, {1, 0, 0, 0, 0, 5, 1, 2, 4}},                // beyond the window
        {11, {1, 0, 0, 0, 0, 9, 2, 2, 1, 0, 1}},         // two that touch
        {8, {1, 0, 0, 0, 0, 5, 33, 1}},                  // too many
        {11, {1, 0, 0, 0, 0, 255, 255, 255, 255, 1, 0}}, // a window beyond all bounds
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bksi_bulk_message message;
        if (read(wrong[i].bytes, wrong[i].count, &message)) {
            fail_msg("number %u was read", (unsigned)i);
        }
    }
}

static void every_cut_of_a_report_is_refused_and_random_bytes_break_nothing(void **context)
{
    (void)context;
    uint8_t bytes[400];
    bksi_bulk_message message = {.has_report = true, .report = {.window = 100000}};
    for (uint32_t i = 0; i < BKSI_BULK_PARTS_MAX; i++) {
        message.report.parts[message.report.count++] =
            (bksi_bulk_part){1000 * i + 7, 1000 * i + 900};
    }
    size_t count = write(&message, bytes, sizeof(bytes));
    bksi_bulk_message back;
    for (size_t cut = 0; cut < count; cut++) {
        assert_false(read(bytes, cut, &back));
    }
    for (int i = 0; i < 200000; i++) {
        size_t random_count = seed_below(60);
        for (size_t k = 0; k < random_count; k++) {
            bytes[k] = (uint8_t)(seed_below(2) == 0 ? seed_below(8) : seed_next());
        }
        if (read(bytes, random_count, &back) && back.has_report) {
            uint32_t at = 0;
            for (uint32_t k = 0; k < back.report.count; k++) {
                const bksi_bulk_part *part = &back.report.parts[k];
                assert_true(part->begin > at && part->end > part->begin);
                assert_true(part->end <= back.report.window);
                at = part->end;
            }
        }
    }
}

static void a_place_is_the_nearest_with_these_bits(void **context)
{
    (void)context;
    assert_true(bksi_bulk_place(10, 30) == 30);
    assert_true(bksi_bulk_place(UINT64_C(0x1FFFFFFF0), 5) == UINT64_C(0x200000005));
    assert_true(bksi_bulk_place(UINT64_C(0x200000005), UINT32_MAX) == UINT64_C(0x1FFFFFFFF));
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 14);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_bytes_are_these),
        cmocka_unit_test(a_message_of_the_lane_says_so),
        cmocka_unit_test(bytes_that_are_no_bulk_message_are_refused),
        cmocka_unit_test(every_cut_of_a_report_is_refused_and_random_bytes_break_nothing),
        cmocka_unit_test(a_place_is_the_nearest_with_these_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
