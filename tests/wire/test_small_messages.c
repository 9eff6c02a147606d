// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seed.h"
#include "wire/packet.h"
#include "wire/small_messages.h"
#include "wire/wire_bytes.h"

#define LINK_BYTES        13u
#define GUESTS_LINK_BYTES (LINK_BYTES + 12u)

static bool read_link(const uint8_t *bytes, size_t count, bksi_link_message *message)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_link_message_read(&reader, message);
    free(copy);
    return is_ok;
}

static bool read_hashes(const uint8_t *bytes, size_t count, bksi_hashes_message *message)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_hashes_read(&reader, message);
    free(copy);
    return is_ok;
}

static bool read_bye(const uint8_t *bytes, size_t count, bksi_bye *bye)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_bye_read(&reader, bye);
    free(copy);
    return is_ok;
}

static size_t write_hashes(const bksi_hashes_message *message, uint8_t *bytes)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_hashes_write(&writer, message);
    assert_false(writer.failed);
    return writer.at;
}

static void link_is_its_golden_bytes_and_comes_back(void **context)
{
    (void)context;
    bksi_link_message message = {
        .stamp_us = 1000000, .has_echo = true, .echo_us = 950000, .hold_us = 1500};
    uint8_t bytes[GUESTS_LINK_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_link_message_write(&writer, &message);
    assert_false(writer.failed);
    assert_bytes(bytes, writer.at, "40420f0001f07e0e00dc050000");
    bksi_link_message back;
    assert_true(read_link(bytes, writer.at, &back));
    assert_int_equal(back.stamp_us, message.stamp_us);
    assert_true(back.has_echo);
    assert_int_equal(back.echo_us, message.echo_us);
    assert_int_equal(back.hold_us, message.hold_us);
    assert_false(back.has_roster);
    message.has_roster = true;
    message.change = 9;
    message.roster = UINT64_C(0x1122334455667788);
    writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_link_message_write(&writer, &message);
    assert_bytes(bytes, writer.at, "40420f0001f07e0e00dc050000090000008877665544332211");
    assert_true(read_link(bytes, writer.at, &back));
    assert_true(back.has_roster);
    assert_int_equal(back.change, 9);
    assert_true(back.roster == message.roster);
}

static void link_of_another_length_or_with_another_flag_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[GUESTS_LINK_BYTES + 8] = {0};
    bksi_link_message message;
    for (size_t count = 0; count <= sizeof(bytes); count++) {
        assert_int_equal(read_link(bytes, count, &message),
                         count == LINK_BYTES || count == GUESTS_LINK_BYTES);
    }
    for (uint32_t flag = 0; flag < 256; flag++) {
        bytes[4] = (uint8_t)flag;
        assert_int_equal(read_link(bytes, LINK_BYTES, &message), flag <= 3);
        assert_int_equal(message.is_loading, (flag & 2) != 0);
    }
}

static void hashes_are_their_golden_bytes(void **context)
{
    (void)context;
    bksi_hashes_message message = {
        .first = 120, .step_ticks = 60, .count = 2, .state = {1, 3}, .inputs = {2, 4}};
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_hashes(&message, bytes);
    assert_bytes(bytes, count,
                 "780000003c00020100000000000000020000000000000003000000000000000400000000000000");
}

static void hashes_come_back_as_they_were(void **context)
{
    (void)context;
    for (uint32_t count = 1; count <= BKSI_HASHES_MAX; count++) {
        bksi_hashes_message message = {.first = (bks_tick)seed_below(INT32_MAX / 2),
                                       .step_ticks = 1 + seed_below(65535),
                                       .count = count};
        for (uint32_t i = 0; i < count; i++) {
            message.state[i] = seed_next();
            message.inputs[i] = seed_next();
        }
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        bksi_hashes_message back;
        assert_true(read_hashes(bytes, write_hashes(&message, bytes), &back));
        assert_int_equal(back.first, message.first);
        assert_int_equal(back.step_ticks, message.step_ticks);
        assert_int_equal(back.count, count);
        assert_memory_equal(back.state, message.state, count * sizeof(uint64_t));
        assert_memory_equal(back.inputs, message.inputs, count * sizeof(uint64_t));
    }
}

static void hashes_of_another_length_or_out_of_range_are_refused(void **context)
{
    (void)context;
    bksi_hashes_message message = {.first = 1, .step_ticks = 1, .count = 3};
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t right = write_hashes(&message, bytes);
    for (size_t count = 0; count <= right + 40; count++) {
        assert_int_equal(read_hashes(bytes, count, &message), count == right);
    }
    static const uint8_t counts[] = {0, 65, 255};
    for (size_t i = 0; i < sizeof(counts); i++) {
        bytes[6] = counts[i];
        assert_false(read_hashes(
            bytes,
            7 + (size_t)counts[i] * 16 < sizeof(bytes) ? 7 + (size_t)counts[i] * 16 : sizeof(bytes),
            &message));
    }
    bytes[6] = 3;
    bksi_put_u16(bytes + 4, 0);
    assert_false(read_hashes(bytes, right, &message));
    bksi_put_u16(bytes + 4, 1);
    bksi_put_u32(bytes, INT32_MAX - 3);
    assert_true(read_hashes(bytes, right, &message));
    bksi_put_u32(bytes, INT32_MAX - 2);
    assert_false(read_hashes(bytes, right, &message));
    bksi_put_u32(bytes, UINT32_MAX);
    assert_false(read_hashes(bytes, right, &message));
}

static void bye_is_of_three_kinds(void **context)
{
    (void)context;
    static const char *const expected[] = {"00", "01", "02"};
    bksi_bye bye = BKSI_BYE_LEAVES;
    for (uint32_t kind = 0; kind < 3; kind++) {
        uint8_t bytes[4];
        bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
        bksi_bye_write(&writer, (bksi_bye)kind);
        assert_bytes(bytes, writer.at, expected[kind]);
        assert_true(read_bye(bytes, writer.at, &bye));
        assert_int_equal(bye, kind);
        assert_false(read_bye(bytes, writer.at - 1, &bye));
        assert_false(read_bye(bytes, writer.at + 1, &bye));
    }
    for (uint32_t value = 3; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        assert_false(read_bye(&byte, 1, &bye));
    }
}

static void slow_is_a_byte_of_at_most_three_ticks(void **context)
{
    (void)context;
    for (uint32_t value = 0; value < 256; value++) {
        uint8_t bytes[2] = {(uint8_t)value, 0};
        uint32_t stretch = 0;
        bksi_byte_reader reader = bksi_byte_reader_over(bytes, 1);
        assert_int_equal(bksi_slow_read(&reader, &stretch), value <= 192);
        bksi_byte_reader longer = bksi_byte_reader_over(bytes, 2);
        bksi_byte_reader shorter = bksi_byte_reader_over(bytes, 0);
        assert_false(bksi_slow_read(&longer, &stretch));
        assert_false(bksi_slow_read(&shorter, &stretch));
        if (value > 192) {
            continue;
        }
        bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
        bksi_slow_write(&writer, value);
        assert_int_equal(writer.at, 1);
        assert_int_equal(bytes[0], value);
    }
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[160];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)(seed_below(2) == 0 ? seed_below(12) : seed_next());
        }
        bksi_hashes_message hashes;
        bksi_link_message link;
        bksi_bye bye;
        (void)read_link(bytes, count, &link);
        (void)read_bye(bytes, count, &bye);
        if (!read_hashes(bytes, count, &hashes)) {
            continue;
        }
        assert_in_range(hashes.count, 1, BKSI_HASHES_MAX);
        assert_true(hashes.first >= 0);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_is_its_golden_bytes_and_comes_back),
        cmocka_unit_test(link_of_another_length_or_with_another_flag_is_refused),
        cmocka_unit_test(hashes_are_their_golden_bytes),
        cmocka_unit_test(hashes_come_back_as_they_were),
        cmocka_unit_test(hashes_of_another_length_or_out_of_range_are_refused),
        cmocka_unit_test(bye_is_of_three_kinds),
        cmocka_unit_test(slow_is_a_byte_of_at_most_three_ticks),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
