// SPDX-License-Identifier: MIT

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void numbers_are_little_endian(void **state)
{
    (void)state;
    uint8_t bytes[14];
    bksi_put_u16(bytes, 0x0201);
    bksi_put_u32(bytes + 2, 0x06050403);
    bksi_put_u64(bytes + 6, UINT64_C(0x0e0d0c0b0a090807));
    for (uint8_t i = 0; i < 14; i++) {
        assert_int_equal(bytes[i], i + 1);
    }
    assert_int_equal(bksi_get_u16(bytes), 0x0201);
    assert_int_equal(bksi_get_u32(bytes + 2), 0x06050403);
    assert_true(bksi_get_u64(bytes + 6) == UINT64_C(0x0e0d0c0b0a090807));
    memset(bytes, 0xff, sizeof(bytes)); // sign extension would show here
    assert_int_equal(bksi_get_u16(bytes), 0xffff);
    assert_true(bksi_get_u32(bytes) == UINT32_MAX);
    assert_true(bksi_get_u64(bytes) == UINT64_MAX);
}

static void written_values_are_read_back(void **state)
{
    (void)state;
    uint8_t bytes[64];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_write_u8(&writer, 0xab);
    bksi_write_u16(&writer, 0xcdef);
    bksi_write_u32(&writer, 0xdeadbeef);
    bksi_write_u64(&writer, UINT64_C(0x0123456789abcdef));
    bksi_write_bytes(&writer, "xyz", 3);
    bksi_write_bytes(&writer, NULL, 0);
    bksi_write_text(&writer, "red");
    bksi_write_text(&writer, "");
    assert_false(writer.failed);
    assert_int_equal(writer.at, 1 + 2 + 4 + 8 + 3 + 4 + 1);

    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    assert_int_equal(bksi_byte_reader_left(&reader), writer.at);
    assert_int_equal(bksi_read_u8(&reader), 0xab);
    assert_int_equal(bksi_read_u16(&reader), 0xcdef);
    assert_true(bksi_read_u32(&reader) == 0xdeadbeef);
    assert_true(bksi_read_u64(&reader) == UINT64_C(0x0123456789abcdef));
    assert_memory_equal(bksi_read_bytes(&reader, 3), "xyz", 3);
    char text[4];
    bksi_read_text(&reader, text, sizeof(text));
    assert_string_equal(text, "red");
    bksi_read_text(&reader, text, sizeof(text));
    assert_string_equal(text, "");
    assert_false(reader.failed);
    assert_int_equal(bksi_byte_reader_left(&reader), 0);
    assert_non_null(bksi_read_bytes(&reader, 0));
    assert_false(reader.failed);
}

static void a_full_writer_writes_nothing_more(void **state)
{
    (void)state;
    uint8_t bytes[8];
    memset(bytes, 0x77, sizeof(bytes));
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, 5);
    bksi_write_u32(&writer, 1);
    bksi_write_u16(&writer, 2); // one byte too many
    assert_true(writer.failed);
    assert_int_equal(writer.at, 4);
    bksi_write_u8(&writer, 3); // would fit, but the failure stays
    assert_true(writer.failed);
    assert_int_equal(writer.at, 4);
    assert_int_equal(bytes[4], 0x77);

    writer = bksi_byte_writer_over(bytes, 5);
    bksi_write_text(&writer, "12345"); // its length byte would fit
    assert_true(writer.failed);
    assert_int_equal(writer.at, 0);
}

static void a_text_over_255_bytes_is_not_written(void **state)
{
    (void)state;
    uint8_t bytes[400];
    char text[257];
    memset(text, 'a', 256);
    text[256] = '\0';
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_write_text(&writer, text);
    assert_true(writer.failed);
    text[255] = '\0';
    writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_write_text(&writer, text);
    assert_false(writer.failed);
    assert_int_equal(writer.at, 256);
}

static void an_empty_reader_gives_zeros(void **state)
{
    (void)state;
    const uint8_t bytes[3] = {1, 2, 3};
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, 3);
    assert_true(bksi_read_u32(&reader) == 0);
    assert_true(reader.failed);
    assert_int_equal(bksi_read_u8(&reader), 0); // there, but the failure stays
    assert_null(bksi_read_bytes(&reader, 0));
    assert_int_equal(bksi_byte_reader_left(&reader), 0);

    reader = bksi_byte_reader_over(bytes, 3);
    assert_null(bksi_read_bytes(&reader, SIZE_MAX));
    assert_true(reader.failed);
    reader = bksi_byte_reader_over(NULL, 0);
    assert_non_null(bksi_read_bytes(&reader, 0));
    assert_int_equal(bksi_read_u16(&reader), 0);
    assert_true(reader.failed);
}

static void varints_take_as_few_bytes_as_they_need(void **state)
{
    (void)state;
    const struct {
        uint64_t value;
        size_t bytes;
    } cases[] = {
        {0, 1},
        {127, 1},
        {128, 2},
        {16383, 2},
        {16384, 3},
        {1u << 28, 5},
        {UINT32_MAX, 5},
        {UINT64_C(1) << 56, 9},
        {UINT64_C(1) << 63, 10},
        {UINT64_MAX, 10},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[10];
        bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
        bksi_write_varint(&writer, cases[i].value);
        assert_int_equal(writer.at, cases[i].bytes);
        bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
        assert_true(bksi_read_varint(&reader) == cases[i].value);
        assert_false(reader.failed);
        reader = bksi_byte_reader_over(bytes, writer.at - 1);
        assert_true(bksi_read_varint(&reader) == 0);
        assert_true(reader.failed);
    }
}

static void a_varint_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[11];
    memset(bytes, 0xff, sizeof(bytes));
    bytes[9] = 0x02; // the 65th bit
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, 10);
    assert_true(bksi_read_varint(&reader) == 0);
    assert_true(reader.failed);
    memset(bytes, 0x80, sizeof(bytes)); // eleven bytes of nothing
    bytes[10] = 0;
    reader = bksi_byte_reader_over(bytes, 11);
    assert_true(bksi_read_varint(&reader) == 0);
    assert_true(reader.failed);
}

static void a_text_that_is_long_or_not_printable_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *bytes;
        size_t count;
    } cases[] = {{"\004abcd", 5},
                 {"\002a\n", 3},
                 {"\002\x7f"
                  "a",
                  3},
                 {"\001\xe9", 2},
                 {"\003ab", 3},
                 {"\001\0", 2},
                 {"", 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[4] = "old";
        bksi_byte_reader reader = bksi_byte_reader_over(cases[i].bytes, cases[i].count);
        bksi_read_text(&reader, text, sizeof(text));
        assert_true(reader.failed);
        assert_string_equal(text, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(written_values_are_read_back),
        cmocka_unit_test(a_full_writer_writes_nothing_more),
        cmocka_unit_test(a_text_over_255_bytes_is_not_written),
        cmocka_unit_test(an_empty_reader_gives_zeros),
        cmocka_unit_test(varints_take_as_few_bytes_as_they_need),
        cmocka_unit_test(a_varint_beyond_64_bits_is_refused),
        cmocka_unit_test(a_text_that_is_long_or_not_printable_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
