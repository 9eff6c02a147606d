// SPDX-License-Identifier: MIT

#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/seed.h"

static uint64_t low_bits(uint64_t value, uint32_t bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static void bits_lie_lowest_first_without_gaps(void **state)
{
    (void)state;
    uint8_t bytes[4];
    memset(bytes, 0xff, sizeof(bytes));
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, 3);
    bksi_write_bits(&writer, 1, 1);
    bksi_write_bits(&writer, 0, 2);
    bksi_write_bits(&writer, 0x2a5, 10); // 10 1010 0101
    assert_int_equal(bksi_bit_writer_bytes(&writer), 2);
    assert_int_equal(bytes[0], 0x29); // 00101 00 1
    assert_int_equal(bytes[1], 0x15); // 000 10101, padded with zeros
    assert_int_equal(bytes[2], 0xff); // left as it was
}

static void random_values_of_random_widths_come_back(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    for (uint32_t round = 0; round < 200; round++) {
        uint64_t values[COUNT];
        uint32_t widths[COUNT];
        uint8_t bytes[COUNT * 8];
        memset(bytes, (int)seed_below(256), sizeof(bytes));
        size_t total = 0;
        bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = seed_next(); // bits above the width must not leak
            widths[i] = seed_below(65);
            total += widths[i];
            bksi_write_bits(&writer, values[i], widths[i]);
        }
        assert_false(writer.failed);
        assert_int_equal(writer.at_bits, total);
        assert_int_equal(bksi_bit_writer_bytes(&writer), (total + 7) / 8);

        bksi_bit_reader reader = bksi_bit_reader_over(bytes, bksi_bit_writer_bytes(&writer));
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_true(bksi_read_bits(&reader, widths[i]) == low_bits(values[i], widths[i]));
        }
        assert_false(reader.failed);
        assert_true(bksi_read_bits(&reader, 7 - (uint32_t)((total + 7) % 8)) == 0); // the padding
        assert_false(reader.failed);
    }
}

static void a_full_writer_writes_nothing_more(void **state)
{
    (void)state;
    uint8_t bytes[2] = {0, 0x77};
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, 1);
    bksi_write_bits(&writer, 5, 6);
    bksi_write_bits(&writer, 7, 3);
    assert_true(writer.failed);
    assert_int_equal(writer.at_bits, 6);
    bksi_write_bits(&writer, 1, 1); // would fit, but the failure stays
    assert_int_equal(writer.at_bits, 6);
    assert_int_equal(bytes[0], 5);
    assert_int_equal(bytes[1], 0x77);
}

static void missing_bits_read_as_zero(void **state)
{
    (void)state;
    const uint8_t bytes[1] = {0xff};
    bksi_bit_reader reader = bksi_bit_reader_over(bytes, 1);
    assert_true(bksi_read_bits(&reader, 5) == 31);
    assert_true(bksi_read_bits(&reader, 4) == 0);
    assert_true(reader.failed);
    assert_true(bksi_read_bits(&reader, 1) == 0); // there, but the failure stays
    assert_int_equal(reader.at_bits, 5);
}

static void the_sign_bit_is_extended(void **state)
{
    (void)state;
    assert_int_equal(bksi_sign_extend(1, 1), -1);
    assert_int_equal(bksi_sign_extend(0, 1), 0);
    assert_int_equal(bksi_sign_extend(63, 7), 63);
    assert_int_equal(bksi_sign_extend(64, 7), -64);
    assert_int_equal(bksi_sign_extend(127, 7), -1);
    assert_int_equal(bksi_sign_extend(0xffffff80, 7), 0); // what lies above does not count
    assert_int_equal(bksi_sign_extend(0x80000000, 32), INT32_MIN);
    assert_int_equal(bksi_sign_extend(0x7fffffff, 32), INT32_MAX);
    assert_int_equal(bksi_sign_extend(UINT32_MAX, 32), -1);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_lie_lowest_first_without_gaps),
        cmocka_unit_test(random_values_of_random_widths_come_back),
        cmocka_unit_test(a_full_writer_writes_nothing_more),
        cmocka_unit_test(missing_bits_read_as_zero),
        cmocka_unit_test(the_sign_bit_is_extended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
