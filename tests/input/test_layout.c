// SPDX-License-Identifier: MIT

#include "input/layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "input/some_input.h"

/// A table that is right, to be spoilt one way at a time.
static void make_good(bks_field fields[4])
{
    const bks_field good[4] = {
        {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .group = 3},
        {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y, .group = 3},
        {.name = "fire", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
        {.name = "aim", .bits = 5, .neutral = 9},
    };
    memcpy(fields, good, sizeof(good));
}

static void assert_refused(const bks_field *fields, uint32_t count, const char *field,
                           const char *text)
{
    bks_error error = {0};
    assert_int_equal(bks_fields_check(fields, count, &error), BKS_ERR_BAD_CONFIG);
    assert_int_equal(error.code, BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, field);
    if (strstr(error.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    }
    assert_int_equal(bks_fields_check(fields, count, NULL), BKS_ERR_BAD_CONFIG);
}

static void a_good_table_passes(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    bks_error error;
    memset(&error, 0x55, sizeof(error));
    const bks_error before = error;
    assert_int_equal(bks_fields_check(fields, 4, &error), BKS_OK);
    assert_memory_equal(&error, &before, sizeof(error));
}

static void a_bad_count_or_missing_table_is_refused(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    assert_refused(fields, 0, "field_count", "must be 1..64");
    assert_refused(fields, 65, "field_count", "65");
    assert_refused(NULL, 3, "fields", "NULL");
    assert_refused(NULL, 0, "field_count", "0");
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "a b", "a,b", "a=b", "a+b", "\x80", "a234567890123456789012345678901x"};
    bks_field fields[4];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        make_good(fields);
        fields[3].name = bad[i];
        assert_refused(fields, 4, "name", "must be 1..31");
    }
    make_good(fields);
    fields[3].name = NULL;
    assert_refused(fields, 4, "name", "fields[3].name is NULL");
    fields[3].name = "fire";
    assert_refused(fields, 4, "name", "unique");
    fields[3].name = "a23456789012345678901234567890x";
    assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    fields[3].bits = 0;
    assert_refused(fields, 4, "bits", "must be 1..31");
    fields[3].bits = 32;
    assert_refused(fields, 4, "bits", "\"aim\" is 32, must be 1..31");
    fields[3].is_signed = true;
    assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
    fields[3].bits = 33;
    assert_refused(fields, 4, "bits", "must be 1..32");
    make_good(fields);
    fields[3].neutral = 32;
    assert_refused(fields, 4, "neutral", "32, must be 0..31");
    fields[3].neutral = -1;
    assert_refused(fields, 4, "neutral", "-1, must be 0..31");
    make_good(fields);
    fields[0].limit = 64;
    assert_refused(fields, 4, "limit", "64, must be 0..63");
    fields[0].limit = -1;
    assert_refused(fields, 4, "limit", "must be 0..63");
    make_good(fields);
    fields[0].group = 256;
    assert_refused(fields, 4, "group", "256, must be 0..255");
    make_good(fields);
    fields[0].dead_zone = 0.96f;
    assert_refused(fields, 4, "dead_zone", "must be 0..0.95");
    fields[0].dead_zone = -0.01f;
    assert_refused(fields, 4, "dead_zone", "must be 0..0.95");
    fields[0].dead_zone = NAN;
    assert_refused(fields, 4, "dead_zone", "must be 0..0.95");
    make_good(fields);
    fields[2].predictor = (bks_predictor)5;
    assert_refused(fields, 4, "predictor", "5, must be 0..4");
    make_good(fields);
    fields[2].kind = (bks_field_kind)6;
    assert_refused(fields, 4, "kind", "6, must be 0..5");
}

static void movement_is_guessed_only_of_what_moves_and_of_both_of_a_pair(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    fields[3].predictor = BKS_PREDICT_LINEAR;
    assert_refused(fields, 4, "predictor",
                   "\"aim\" is BKS_PREDICT_LINEAR, must be BKS_PREDICT_HOLD, "
                   "BKS_PREDICT_RELEASE or BKS_PREDICT_VOTE");
    fields[3].kind = BKS_FIELD_AXIS;
    assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
    fields[0].predictor = BKS_PREDICT_SPLINE;
    assert_refused(fields, 4, "predictor",
                   "\"y\" is BKS_PREDICT_HOLD, must be that of \"x\", "
                   "which is BKS_PREDICT_SPLINE");
    fields[1].predictor = BKS_PREDICT_LINEAR;
    assert_refused(fields, 4, "predictor",
                   "\"y\" is BKS_PREDICT_LINEAR, must be that of \"x\", "
                   "which is BKS_PREDICT_SPLINE");
    fields[1].predictor = BKS_PREDICT_SPLINE;
    assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
    fields[0].predictor = BKS_PREDICT_HOLD;
    assert_refused(fields, 4, "predictor",
                   "\"y\" is BKS_PREDICT_SPLINE, must be that of \"x\", "
                   "which is BKS_PREDICT_HOLD");
    // Votes may be cast on anything.
    for (uint32_t i = 0; i < 4; i++) {
        make_good(fields);
        fields[i].predictor = BKS_PREDICT_VOTE;
        assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
    }
}

static void halves_of_a_stick_stand_together(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    assert_refused(fields, 1, "kind", "kind BKS_FIELD_STICK_Y must follow");
    fields[1].kind = BKS_FIELD_PLAIN;
    assert_refused(fields, 4, "kind", "kind BKS_FIELD_STICK_Y must follow");
    make_good(fields);
    fields[0].kind = BKS_FIELD_PLAIN;
    assert_refused(fields, 4, "kind", "kind BKS_FIELD_STICK_X must stand before");
    make_good(fields);
    fields[3].kind = BKS_FIELD_ANGLE;
    assert_refused(fields, 4, "kind", "kind BKS_FIELD_MAGNITUDE must follow");
    fields[3].kind = BKS_FIELD_MAGNITUDE;
    assert_refused(fields, 4, "kind", "kind BKS_FIELD_ANGLE must stand before");
    make_good(fields);
    fields[1].is_signed = false;
    assert_refused(fields, 4, "is_signed", "must be signed");
    make_good(fields);
    fields[0].bits = 1;
    assert_refused(fields, 4, "is_signed", "2..32 bits");
    make_good(fields);
    fields[0].kind = BKS_FIELD_ANGLE;
    fields[1].kind = BKS_FIELD_MAGNITUDE;
    assert_refused(fields, 4, "is_signed", "must be unsigned");
}

static void fields_of_a_group_stand_together(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    fields[3].group = 3;
    assert_refused(fields, 4, "group", "must stand together");
    fields[2].group = 3;
    assert_int_equal(bks_fields_check(fields, 4, NULL), BKS_OK);
    fields[0].group = 0;
    fields[2].group = 9;
    assert_refused(fields, 4, "group", "must stand together");
}

static void more_bits_than_an_input_holds_are_refused(void **state)
{
    (void)state;
    bks_field fields[17];
    for (uint32_t i = 0; i < 17; i++) {
        fields[i] = (bks_field){.name = some_names[i], .bits = 32, .is_signed = true};
    }
    assert_int_equal(bks_fields_check(fields, 16, NULL), BKS_OK);
    assert_refused(fields, 17, "bits", "544, must be 1..512");
}

static void range_follows_bits_and_sign(void **state)
{
    (void)state;
    const struct {
        uint32_t bits;
        bool is_signed;
        int32_t least;
        int32_t greatest;
    } cases[] = {{1, false, 0, 1}, {8, false, 0, 255},   {31, false, 0, INT32_MAX},
                 {1, true, -1, 0}, {8, true, -128, 127}, {32, true, INT32_MIN, INT32_MAX}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bks_field field = {.bits = cases[i].bits, .is_signed = cases[i].is_signed};
        int32_t least = 99;
        int32_t greatest = 99;
        assert_int_equal(bks_field_range(&field, &least, &greatest), BKS_OK);
        assert_int_equal(least, cases[i].least);
        assert_int_equal(greatest, cases[i].greatest);
        assert_int_equal(bks_field_range(&field, NULL, NULL), BKS_OK);
    }
    const bks_field wide = {.bits = 32};
    assert_int_equal(bks_field_range(&wide, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_field_range(NULL, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
}

static void bits_lie_in_table_order_from_the_lowest(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, 4, NULL), BKS_OK);
    assert_int_equal(layout.bits, 20);
    assert_int_equal(layout.bytes, 3);
    assert_int_equal(layout.group_count, 3);
    assert_int_equal(layout.group_of[1], 0);
    assert_int_equal(layout.group_of[3], 2);
    assert_int_equal(layout.group_bits[0], 14);
    assert_int_equal(layout.group_offset_bits[2], 15);
    assert_true(layout.has_release);
    // x = -1 -> 1111111, y = 2 -> 0000010, fire = 1, aim = 21 -> 10101: from bit 0 on.
    const int32_t values[4] = {-1, 2, 1, 21};
    uint8_t packed[3];
    assert_int_equal(bksi_layout_pack(&layout, values, packed, NULL), BKS_OK);
    const uint8_t golden[3] = {0x7F, 0xC1, 0x0A};
    assert_memory_equal(packed, golden, 3);
    const uint8_t neutral[3] = {0x00, 0x80, 0x04};
    assert_memory_equal(layout.neutral, neutral, 3);
}

static void values_come_back_from_their_bits(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        const uint64_t seed = some_state;
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        bksi_layout layout;
        bks_error error;
        if (bksi_layout_init(&layout, fields, count, &error) != BKS_OK) {
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.text);
        }
        int32_t values[BKS_FIELDS_MAX];
        for (uint32_t i = 0; i < count; i++) {
            values[i] = some_value(&fields[i]);
        }
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        assert_int_equal(bksi_layout_pack(&layout, values, packed, NULL), BKS_OK);
        int32_t back[BKS_FIELDS_MAX];
        bksi_layout_unpack(&layout, packed, back);
        if (memcmp(values, back, count * sizeof(values[0])) != 0) {
            fail_msg("seed %llu: values differ", (unsigned long long)seed);
        }
        bksi_layout_unpack(&layout, layout.neutral, back);
        bksi_layout_neutral(&layout, values);
        assert_memory_equal(values, back, count * sizeof(values[0]));
    }
}

static void one_field_is_read_and_set_alone(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        bksi_layout layout;
        assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
        int32_t values[BKS_FIELDS_MAX];
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        uint8_t expected[BKSI_INPUT_BYTES_MAX];
        bksi_layout_neutral(&layout, values);
        memcpy(packed, layout.neutral, layout.bytes);
        for (int change = 0; change < 20; change++) {
            const uint32_t field = some_below(count);
            values[field] = some_value(&fields[field]);
            bksi_layout_set(&layout, field, values[field], packed);
            bksi_layout_pack_clamped(&layout, values, expected);
            assert_memory_equal(packed, expected, layout.bytes);
            const uint32_t other = some_below(count);
            assert_int_equal(bksi_layout_get(&layout, other, packed), values[other]);
        }
    }
}

static void values_out_of_range_are_refused_or_clamped(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, 4, NULL), BKS_OK);
    const int32_t values[4] = {-65, 64, INT32_MAX, INT32_MIN};
    uint8_t packed[3] = {1, 2, 3};
    bks_error error;
    assert_int_equal(bksi_layout_pack(&layout, values, packed, &error), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "x");
    assert_string_equal(error.text, "x is -65, must be -64..63");
    assert_memory_equal(packed, "\1\2\3", 3);
    bksi_layout_pack_clamped(&layout, values, packed);
    int32_t back[4];
    bksi_layout_unpack(&layout, packed, back);
    assert_int_equal(back[0], -64);
    assert_int_equal(back[1], 63);
    assert_int_equal(back[2], 1);
    assert_int_equal(back[3], 0);
}

static void any_bytes_unpack_to_values_in_range(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        bksi_layout layout;
        assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
        uint8_t bytes[BKSI_INPUT_BYTES_MAX];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)some_number();
        }
        int32_t values[BKS_FIELDS_MAX];
        bksi_layout_unpack(&layout, bytes, values);
        uint8_t again[BKSI_INPUT_BYTES_MAX];
        assert_int_equal(bksi_layout_pack(&layout, values, again, NULL), BKS_OK);
    }
}

static void prediction_holds_and_releases_by_field(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        bksi_layout layout;
        assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
        int32_t values[BKS_FIELDS_MAX];
        for (uint32_t i = 0; i < count; i++) {
            values[i] = some_value(&fields[i]);
        }
        uint8_t last[BKSI_INPUT_BYTES_MAX];
        uint8_t guess[BKSI_INPUT_BYTES_MAX];
        bksi_layout_pack_clamped(&layout, values, last);
        bksi_layout_predict(&layout, last, guess);
        int32_t guessed[BKS_FIELDS_MAX];
        bksi_layout_unpack(&layout, guess, guessed);
        for (uint32_t i = 0; i < count; i++) {
            const bool is_held = fields[i].predictor == BKS_PREDICT_HOLD;
            assert_int_equal(guessed[i], is_held ? values[i] : fields[i].neutral);
        }
        bksi_layout_predict(&layout, last, last);
        assert_memory_equal(last, guess, layout.bytes);
    }
}

static uint64_t hash_of(const bks_field *fields, uint32_t count)
{
    bksi_layout layout;
    assert_int_equal(bksi_layout_init(&layout, fields, count, NULL), BKS_OK);
    return bksi_layout_hash(&layout);
}

static void the_hash_distinguishes_layouts_by_what_inputs_mean(void **state)
{
    (void)state;
    bks_field fields[4];
    make_good(fields);
    const uint64_t hash = hash_of(fields, 4);
    // Part of the handshake and of replays: a change here is a change of format.
    assert_int_equal(hash, UINT64_C(0xe6847baea3d2515e));
    assert_int_not_equal(hash_of(fields, 3), hash);
    fields[3].name = "aim2";
    assert_int_not_equal(hash_of(fields, 4), hash);
    make_good(fields);
    fields[3].bits = 6;
    assert_int_not_equal(hash_of(fields, 4), hash);
    make_good(fields);
    fields[3].is_signed = true;
    assert_int_not_equal(hash_of(fields, 4), hash);
    make_good(fields);
    fields[3].neutral = 8;
    assert_int_not_equal(hash_of(fields, 4), hash);
    make_good(fields);
    fields[3].predictor = BKS_PREDICT_RELEASE;
    assert_int_not_equal(hash_of(fields, 4), hash);
    make_good(fields);
    fields[1].group = 0;
    assert_int_not_equal(hash_of(fields, 4), hash);
    // How a device is read stays on its own machine, and a group's number is only a name.
    make_good(fields);
    fields[0].dead_zone = 0.3f;
    fields[0].limit = 50;
    fields[0].group = fields[1].group = 200;
    assert_int_equal(hash_of(fields, 4), hash);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20261);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_table_passes),
        cmocka_unit_test(a_bad_count_or_missing_table_is_refused),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(movement_is_guessed_only_of_what_moves_and_of_both_of_a_pair),
        cmocka_unit_test(halves_of_a_stick_stand_together),
        cmocka_unit_test(fields_of_a_group_stand_together),
        cmocka_unit_test(more_bits_than_an_input_holds_are_refused),
        cmocka_unit_test(range_follows_bits_and_sign),
        cmocka_unit_test(bits_lie_in_table_order_from_the_lowest),
        cmocka_unit_test(values_come_back_from_their_bits),
        cmocka_unit_test(one_field_is_read_and_set_alone),
        cmocka_unit_test(values_out_of_range_are_refused_or_clamped),
        cmocka_unit_test(any_bytes_unpack_to_values_in_range),
        cmocka_unit_test(prediction_holds_and_releases_by_field),
        cmocka_unit_test(the_hash_distinguishes_layouts_by_what_inputs_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
