// SPDX-License-Identifier: MIT

#include "input/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/some_input.h"

static const bks_field stick_and_buttons[] = {
    {.name = "x", .bits = 7, .is_signed = true, .group = 1},
    {.name = "y", .bits = 7, .is_signed = true, .group = 1},
    {.name = "fire", .bits = 1},
    {.name = "weapon", .bits = 3, .neutral = 1},
};

static bksi_layout layout_of(const bks_field *fields, uint32_t count)
{
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
    return layout;
}

/// A stream of inputs and the bytes it takes: docs/spec/input-codec.md works the first one out.
static void golden_bytes_stay_as_they_are(void **state)
{
    (void)state;
    const bksi_layout layout = layout_of(stick_and_buttons, 4);
    static const int32_t stream[][4] = {
        {0, 0, 0, 1},    // neutral: 0
        {5, -3, 0, 1},   // 1 100 1010000 1011111
        {5, -3, 1, 1},   // 1 010 1
        {5, -3, 1, 1},   // 0
        {-64, 63, 0, 7}, // 1 111 0000001 1111110 0 111
    };
    uint8_t bytes[8] = {0};
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    uint8_t before[BKSI_INPUT_BYTES_MAX];
    memcpy(before, layout.neutral, layout.bytes);
    for (size_t i = 0; i < sizeof(stream) / sizeof(stream[0]); i++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        assert_int_equal(bksi_layout_pack(&layout, stream[i], packed, NULL), BKS_OK);
        bksi_codec_write(&writer, &layout, before, packed);
        memcpy(before, packed, layout.bytes);
    }
    assert_false(writer.failed);
    assert_int_equal(writer.at_bits, 1 + 18 + 5 + 1 + 22);
    static const uint8_t golden[6] = {0xA6, 0xD0, 0xAF, 0x1E, 0xF8, 0x73};
    assert_memory_equal(bytes, golden, sizeof(golden));

    bksi_bit_reader reader = bksi_bit_reader_over(golden, sizeof(golden));
    memcpy(before, layout.neutral, layout.bytes);
    for (size_t i = 0; i < sizeof(stream) / sizeof(stream[0]); i++) {
        bksi_codec_read(&reader, &layout, before, before);
        int32_t values[4];
        bksi_layout_unpack(&layout, before, values);
        assert_memory_equal(values, stream[i], sizeof(values));
    }
    assert_false(reader.failed);
    assert_int_equal(reader.at_bits, 47);
}

/// Change some of the fields, as a player does.
static void move_on(const bks_field *fields, uint32_t count, int32_t *values)
{
    if (some_below(2) == 0) {
        return;
    }
    const uint32_t changes = 1 + some_below(count);
    for (uint32_t i = 0; i < changes; i++) {
        const uint32_t field = some_below(count);
        values[field] = some_value(&fields[field]);
    }
}

static void stream_of_any_layout_comes_back(void **state)
{
    (void)state;
    static uint8_t bytes[65536];
    static uint8_t inputs[64][BKSI_INPUT_BYTES_MAX];
    for (int round = 0; round < 200; round++) {
        const uint64_t seed = some_state;
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        const bksi_layout layout = layout_of(fields, count);
        int32_t values[BKS_FIELDS_MAX];
        bksi_layout_neutral(&layout, values);
        bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
        const uint8_t *before = layout.neutral;
        for (int tick = 0; tick < 64; tick++) {
            move_on(fields, count, values);
            assert_int_equal(bksi_layout_pack(&layout, values, inputs[tick], NULL), BKS_OK);
            const size_t from = writer.at_bits;
            bksi_codec_write(&writer, &layout, before, inputs[tick]);
            assert_true(writer.at_bits - from <= bksi_codec_bits_max(&layout));
            before = inputs[tick];
        }
        assert_false(writer.failed);
        bksi_bit_reader reader = bksi_bit_reader_over(bytes, bksi_bit_writer_bytes(&writer));
        uint8_t last[BKSI_INPUT_BYTES_MAX];
        memcpy(last, layout.neutral, layout.bytes);
        for (int tick = 0; tick < 64; tick++) {
            bksi_codec_read(&reader, &layout, last, last);
            if (reader.failed || memcmp(last, inputs[tick], layout.bytes) != 0) {
                fail_msg("seed %llu, tick %d", (unsigned long long)seed, tick);
            }
        }
        assert_int_equal(reader.at_bits, writer.at_bits);
    }
}

static void every_group_changing_takes_the_most_bits(void **state)
{
    (void)state;
    const bksi_layout layout = layout_of(stick_and_buttons, 4);
    assert_int_equal(bksi_codec_bits_max(&layout), 1 + 3 + 18);
    const int32_t values[4] = {1, 1, 1, 2};
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    assert_int_equal(bksi_layout_pack(&layout, values, packed, NULL), BKS_OK);
    uint8_t bytes[8];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_codec_write(&writer, &layout, layout.neutral, packed);
    assert_int_equal(writer.at_bits, bksi_codec_bits_max(&layout));
}

static void bits_that_end_early_fail_and_change_nothing(void **state)
{
    (void)state;
    const bksi_layout layout = layout_of(stick_and_buttons, 4);
    uint8_t bytes[3] = {0xFF, 0xFF, 0xFF};
    for (size_t bits = 0; bits < bksi_codec_bits_max(&layout); bits++) {
        bksi_bit_reader reader = {.bytes = bytes, .count_bits = bits};
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        memcpy(packed, layout.neutral, layout.bytes);
        bksi_codec_read(&reader, &layout, packed, packed);
        assert_true(reader.failed);
        assert_memory_equal(packed, layout.neutral, layout.bytes);
    }
}

static void an_input_encoded_as_changed_that_did_not_change_is_refused(void **state)
{
    (void)state;
    const bksi_layout layout = layout_of(stick_and_buttons, 4);
    // Changed without a group; changed with the third group, weapon 1, which it was.
    static const uint8_t no_group[1] = {0x01};
    static const uint8_t same_group[1] = {0x01 | 0x08 | 0x10};
    const uint8_t *const bad[2] = {no_group, same_group};
    for (int i = 0; i < 2; i++) {
        bksi_bit_reader reader = bksi_bit_reader_over(bad[i], 1);
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_codec_read(&reader, &layout, layout.neutral, packed);
        assert_true(reader.failed);
        assert_memory_equal(packed, layout.neutral, layout.bytes);
    }
}

/// What a reader takes a writer would have written: no two codes for one stream.
static void random_bits_are_refused_or_canonical(void **state)
{
    (void)state;
    uint32_t read = 0;
    for (int round = 0; round < 5000; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = round % 2 == 0 ? some_fields(fields) : 4;
        const bksi_layout layout = layout_of(round % 2 == 0 ? fields : stick_and_buttons, count);
        uint8_t bytes[96];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)some_number();
        }
        bksi_bit_reader reader = bksi_bit_reader_over(bytes, some_below(sizeof(bytes) + 1));
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_codec_read(&reader, &layout, layout.neutral, packed);
        if (reader.failed) {
            continue;
        }
        read++;
        uint8_t again[96] = {0};
        bksi_bit_writer writer = bksi_bit_writer_over(again, sizeof(again));
        bksi_codec_write(&writer, &layout, layout.neutral, packed);
        assert_int_equal(writer.at_bits, reader.at_bits);
        const size_t whole = writer.at_bits / 8;
        assert_memory_equal(again, bytes, whole);
        const uint8_t rest = (uint8_t)((1u << (writer.at_bits % 8)) - 1);
        assert_int_equal(again[whole], bytes[whole] & rest);
    }
    assert_true(read > 1000);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20263);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_bytes_stay_as_they_are),
        cmocka_unit_test(stream_of_any_layout_comes_back),
        cmocka_unit_test(every_group_changing_takes_the_most_bits),
        cmocka_unit_test(bits_that_end_early_fail_and_change_nothing),
        cmocka_unit_test(an_input_encoded_as_changed_that_did_not_change_is_refused),
        cmocka_unit_test(random_bits_are_refused_or_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
