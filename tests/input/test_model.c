// SPDX-License-Identifier: MIT

#include "input/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "input/codec.h"
#include "input/some_input.h"

enum { TICKS_MAX = 1024, BYTES_MAX = 128 * 1024 };

static bksi_layout layout;
static uint8_t inputs[TICKS_MAX][BKSI_INPUT_BYTES_MAX];
static uint8_t coded[BYTES_MAX];

static const bks_field stick_and_buttons[] = {
    {.name = "x", .bits = 7, .is_signed = true, .group = 1},
    {.name = "y", .bits = 7, .is_signed = true, .group = 1},
    {.name = "fire", .bits = 1},
    {.name = "weapon", .bits = 3, .neutral = 1},
};

static bksi_model *new_model(void)
{
    bksi_model *model = test_malloc(bksi_model_bytes(&layout));
    bksi_model_init(model, &layout);
    return model;
}

static void make_layout(const bks_field *fields, uint32_t count)
{
    assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
}

static size_t encode(uint32_t ticks)
{
    bksi_model *model = new_model();
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, coded, sizeof(coded));
    for (uint32_t tick = 0; tick < ticks; tick++) {
        bksi_model_encode(model, &layout, &encoder, inputs[tick]);
    }
    const size_t count = bksi_range_encoder_finish(&encoder);
    assert_false(encoder.failed);
    test_free(model);
    return count;
}

static bool comes_back(const uint8_t *bytes, size_t count, uint32_t ticks)
{
    bksi_model *model = new_model();
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, bytes, count);
    bool is_same = true;
    for (uint32_t tick = 0; tick < ticks; tick++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_model_decode(model, &layout, &decoder, packed);
        is_same = is_same && memcmp(packed, inputs[tick], layout.bytes) == 0;
    }
    test_free(model);
    return is_same && bksi_range_decoder_is_done(&decoder);
}

// ---- vectors, see tests/input/learnt_inputs.py ----

static char vector_names[BKS_FIELDS_MAX][32];
static bks_field vector_fields[BKS_FIELDS_MAX];
static uint32_t vector_field_count;
static uint32_t vector_ticks;

static void take_field(const char *line)
{
    const uint32_t at = vector_field_count++;
    assert_true(at < BKS_FIELDS_MAX);
    bks_field *field = &vector_fields[at];
    *field = (bks_field){.name = vector_names[at]};
    uint32_t is_signed = 0;
    assert_int_equal(sscanf(line, "field %31s %u %u %d %u", vector_names[at], &field->bits,
                            &is_signed, &field->neutral, &field->group),
                     5);
    field->is_signed = is_signed != 0;
}

static void take_input(const char *line)
{
    if (vector_ticks == 0) {
        make_layout(vector_fields, vector_field_count);
    }
    int32_t values[BKS_FIELDS_MAX];
    char *at = (char *)line + strlen("input");
    for (uint32_t i = 0; i < vector_field_count; i++) {
        values[i] = (int32_t)strtol(at, &at, 10);
    }
    assert_true(vector_ticks < TICKS_MAX);
    assert_int_equal(bksi_layout_pack(&layout, values, inputs[vector_ticks++], NULL), BKS_OK);
}

static void check_bytes(const char *hex)
{
    uint8_t bytes[1024];
    size_t count = 0;
    for (uint32_t byte = 0; sscanf(hex + 2 * count, "%2x", &byte) == 1; count++) {
        assert_true(count < sizeof(bytes));
        bytes[count] = (uint8_t)byte;
    }
    assert_int_equal(encode(vector_ticks), count);
    assert_memory_equal(coded, bytes, count);
    assert_true(comes_back(bytes, count, vector_ticks));
}

static void another_implementation_writes_the_same_bytes(void **state)
{
    (void)state;
    FILE *file = fopen(BKS_TEST_SOURCE_DIR "/tests/data/codec_vectors.txt", "r");
    assert_non_null(file);
    uint32_t streams = 0;
    char line[8192];
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "stream", 6) == 0) {
            vector_field_count = 0;
            vector_ticks = 0;
        } else if (strncmp(line, "field", 5) == 0) {
            take_field(line);
        } else if (strncmp(line, "input", 5) == 0) {
            take_input(line);
        } else if (strncmp(line, "bytes ", 6) == 0) {
            check_bytes(line + 6);
            streams++;
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(streams, 7);
}

// ---- any layout, any bytes ----

/// Change some of the fields, as a player does.
static void move_on(const bks_field *fields, uint32_t count, int32_t *values)
{
    if (some_below(2) == 0) {
        return;
    }
    const uint32_t changes = 1 + some_below(count < 4 ? count : 4);
    for (uint32_t i = 0; i < changes; i++) {
        const uint32_t field = some_below(count);
        values[field] = some_below(3) == 0 ? fields[field].neutral : some_value(&fields[field]);
    }
}

static void stream_of_any_layout_comes_back(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        const uint64_t seed = some_state;
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        make_layout(fields, count);
        int32_t values[BKS_FIELDS_MAX];
        bksi_layout_neutral(&layout, values);
        for (int tick = 0; tick < 100; tick++) {
            move_on(fields, count, values);
            assert_int_equal(bksi_layout_pack(&layout, values, inputs[tick], NULL), BKS_OK);
        }
        const size_t bytes = encode(100);
        if (!comes_back(coded, bytes, 100)) {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

/// What a decoder takes is an input: encoding it leads to the very same model.
static void any_bytes_give_inputs_of_the_layout_or_fail(void **state)
{
    (void)state;
    uint32_t whole = 0;
    uint32_t refused = 0;
    for (int round = 0; round < 3000; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = round % 2 == 0 ? some_fields(fields) : 4;
        make_layout(round % 2 == 0 ? fields : stick_and_buttons, count);
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)some_number();
        }
        bksi_model *model = new_model();
        bksi_model *again = new_model();
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, some_below(sizeof(bytes) + 1));
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, coded, sizeof(coded));
        for (int tick = 0; tick < 20 && !decoder.failed; tick++) {
            uint8_t packed[BKSI_INPUT_BYTES_MAX] = {0};
            bksi_model_decode(model, &layout, &decoder, packed);
            int32_t values[BKS_FIELDS_MAX];
            bksi_layout_unpack(&layout, packed, values);
            uint8_t same[BKSI_INPUT_BYTES_MAX] = {0};
            assert_int_equal(bksi_layout_pack(&layout, values, same, NULL), BKS_OK);
            assert_memory_equal(packed, same, sizeof(packed));
            if (!decoder.failed) {
                bksi_model_encode(again, &layout, &encoder, packed);
                assert_memory_equal(model, again, bksi_model_bytes(&layout));
                whole++;
            }
        }
        refused += decoder.failed ? 1 : 0;
        test_free(model);
        test_free(again);
    }
    assert_true(whole > 5000);
    assert_true(refused > 1000);
}

/// A field of 0..4 in three bits, neutral in the middle: steps beyond the ends can be written.
static void step_out_of_a_field_s_range_is_refused(void **state)
{
    (void)state;
    static const bks_field one = {.name = "f", .bits = 3, .neutral = 2};
    make_layout(&one, 1);
    uint32_t beyond = 0;
    for (uint32_t first = 0; first < 256; first++) {
        for (uint32_t second = 0; second < 256; second++) {
            const uint8_t bytes[8] = {
                (uint8_t)first, (uint8_t)second, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55};
            bksi_model *model = new_model();
            bksi_range_decoder decoder;
            bksi_range_decoder_init(&decoder, bytes, sizeof(bytes));
            uint8_t packed[BKSI_INPUT_BYTES_MAX];
            for (uint32_t tick = 0; tick < 4 && !decoder.failed; tick++) {
                bksi_model_decode(model, &layout, &decoder, packed);
                assert_true(packed[0] < 8);
                assert_in_range(model->place.field[0].value + 2, 0, 7);
            }
            beyond += decoder.failed ? 1 : 0;
            test_free(model);
        }
    }
    assert_true(beyond > 1000);
}

// ---- what it is for ----

static void frequent_inputs_cost_little(void **state)
{
    (void)state;
    make_layout(stick_and_buttons, 4);
    bksi_bit_writer writer = bksi_bit_writer_over(coded, sizeof(coded));
    for (int32_t tick = 0; tick < TICKS_MAX; tick++) {
        // Walks left and right, 16 ticks each way, and fires on turning.
        const int32_t values[4] = {tick / 16 % 2 == 0 ? 63 : -63, 0, tick % 16 < 2 ? 1 : 0, 1};
        assert_int_equal(bksi_layout_pack(&layout, values, inputs[tick], NULL), BKS_OK);
        bksi_codec_write(&writer, &layout, tick == 0 ? layout.neutral : inputs[tick - 1],
                         inputs[tick]);
    }
    assert_true(encode(TICKS_MAX) * 5 < bksi_bit_writer_bytes(&writer));
}

static void random_inputs_cost_a_sixth_more_at_most(void **state)
{
    (void)state;
    make_layout(stick_and_buttons, 4);
    for (uint32_t tick = 0; tick < TICKS_MAX; tick++) {
        int32_t values[4];
        for (uint32_t i = 0; i < 4; i++) {
            values[i] = some_value(&stick_and_buttons[i]);
        }
        assert_int_equal(bksi_layout_pack(&layout, values, inputs[tick], NULL), BKS_OK);
    }
    assert_true((double)encode(TICKS_MAX) < 7.0 / 6 * TICKS_MAX * 18 / 8);
}

/// A player that does nothing for hours makes the model ever surer, up to a limit.
static void weights_are_bounded(void **state)
{
    (void)state;
    make_layout(stick_and_buttons, 4);
    bksi_model *model = new_model();
    for (uint32_t tick = 0; tick < 500000; tick++) {
        uint8_t bytes[8];
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
        bksi_model_encode(model, &layout, &encoder, layout.neutral);
    }
    assert_int_equal(model->weights[15][0], 1 << 20);
    test_free(model);
}

static void a_copy_of_a_model_continues_as_the_original(void **state)
{
    (void)state;
    make_layout(stick_and_buttons, 4);
    bksi_model *model = new_model();
    bksi_model *copy = new_model();
    int32_t values[4] = {0};
    uint8_t bytes[2][64];
    bksi_range_encoder encoders[2];
    for (uint32_t tick = 0; tick < 200; tick++) {
        if (tick == 190) {
            memcpy(copy, model, bksi_model_bytes(&layout));
            for (uint32_t i = 0; i < 2; i++) {
                bksi_range_encoder_init(&encoders[i], bytes[i], sizeof(bytes[i]));
            }
        } else if (tick < 190) {
            bksi_range_encoder_init(&encoders[0], bytes[0], sizeof(bytes[0]));
        }
        move_on(stick_and_buttons, 4, values);
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        assert_int_equal(bksi_layout_pack(&layout, values, packed, NULL), BKS_OK);
        bksi_model_encode(model, &layout, &encoders[0], packed);
        if (tick >= 190) {
            bksi_model_encode(copy, &layout, &encoders[1], packed);
        }
    }
    const size_t count = bksi_range_encoder_finish(&encoders[0]);
    assert_int_equal(bksi_range_encoder_finish(&encoders[1]), count);
    assert_memory_equal(bytes[0], bytes[1], count);
    test_free(model);
    test_free(copy);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20264);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_implementation_writes_the_same_bytes),
        cmocka_unit_test(stream_of_any_layout_comes_back),
        cmocka_unit_test(any_bytes_give_inputs_of_the_layout_or_fail),
        cmocka_unit_test(step_out_of_a_field_s_range_is_refused),
        cmocka_unit_test(frequent_inputs_cost_little),
        cmocka_unit_test(random_inputs_cost_a_sixth_more_at_most),
        cmocka_unit_test(weights_are_bounded),
        cmocka_unit_test(a_copy_of_a_model_continues_as_the_original),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
