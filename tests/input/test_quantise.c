// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "input/some_input.h"

static int32_t one(const bks_field *field, float raw)
{
    int32_t value = 12345;
    assert_int_equal(bks_input_quantise(field, 1, &raw, &value), BKS_OK);
    return value;
}

static void pair(const bks_field *fields, float x, float y, int32_t values[2])
{
    const float raw[2] = {x, y};
    assert_int_equal(bks_input_quantise(fields, 2, raw, values), BKS_OK);
}

static void assert_pair(const bks_field *fields, float x, float y, int32_t first, int32_t second)
{
    int32_t values[2];
    pair(fields, x, y, values);
    assert_int_equal(values[0], first);
    assert_int_equal(values[1], second);
}

static void plain_numbers_are_rounded_and_clamped(void **state)
{
    (void)state;
    const bks_field number = {.name = "n", .bits = 4, .is_signed = true};
    assert_int_equal(one(&number, 0.49f), 0);
    assert_int_equal(one(&number, 0.5f), 1);
    assert_int_equal(one(&number, -0.5f), -1);
    assert_int_equal(one(&number, -2.5f), -3);
    assert_int_equal(one(&number, 2.5f), 3);
    assert_int_equal(one(&number, 7.6f), 7);
    assert_int_equal(one(&number, -1e30f), -8);
    assert_int_equal(one(&number, INFINITY), 7);
    assert_int_equal(one(&number, NAN), 0);
    const bks_field wide = {.name = "n", .bits = 32, .is_signed = true};
    assert_int_equal(one(&wide, 1e20f), INT32_MAX);
    assert_int_equal(one(&wide, -1e20f), INT32_MIN);
    const bks_field button = {.name = "b", .bits = 1};
    assert_int_equal(one(&button, 1.0f), 1);
    assert_int_equal(one(&button, -1.0f), 0);
}

static void axis_starts_at_zero_just_outside_its_dead_zone(void **state)
{
    (void)state;
    const bks_field axis = {
        .name = "a", .bits = 8, .is_signed = true, .kind = BKS_FIELD_AXIS, .dead_zone = 0.2f};
    assert_int_equal(one(&axis, 0.2f), 0);
    assert_int_equal(one(&axis, -0.2f), 0);
    assert_int_equal(one(&axis, 0.2062f), 1); // (0.2062 - 0.2) / 0.8 * 127 = 0.98
    assert_int_equal(one(&axis, 0.6f), 64);   // half way: 63.5 rounds away from zero
    assert_int_equal(one(&axis, -0.6f), -64);
    assert_int_equal(one(&axis, 1.0f), 127);
    assert_int_equal(one(&axis, -3.0f), -127);
    assert_int_equal(one(&axis, NAN), 0);
}

static void limit_is_the_value_of_full_deflection(void **state)
{
    (void)state;
    const bks_field axis = {
        .name = "a", .bits = 8, .is_signed = true, .kind = BKS_FIELD_AXIS, .limit = 80};
    assert_int_equal(one(&axis, 1.0f), 80);
    assert_int_equal(one(&axis, -1.0f), -80);
    assert_int_equal(one(&axis, 0.5f), 40);
    const bks_field trigger = {.name = "t", .bits = 8, .kind = BKS_FIELD_AXIS};
    assert_int_equal(one(&trigger, 1.0f), 255);
    assert_int_equal(one(&trigger, -1.0f), 0); // an unsigned axis has no other side
}

static const bks_field stick[2] = {
    {.name = "x", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_X, .dead_zone = 0.25f},
    {.name = "y", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_Y},
};

static void stick_is_clamped_to_its_circle(void **state)
{
    (void)state;
    assert_pair(stick, 1.0f, 0.0f, 127, 0);
    assert_pair(stick, 0.0f, -1.0f, 0, -127);
    assert_pair(stick, 1.0f, 1.0f, 90, 90); // 127 / sqrt 2 = 89.8
    assert_pair(stick, -0.8f, 0.6f, -102, 76);
    assert_pair(stick, -80.0f, 60.0f, -102, 76);
    assert_pair(stick, INFINITY, 0.0f, 127, 0);
    assert_pair(stick, INFINITY, -INFINITY, 90, -90);
    assert_pair(stick, NAN, 1.0f, 0, 127);
}

static void dead_zone_of_a_stick_is_round(void **state)
{
    (void)state;
    assert_pair(stick, 0.25f, 0.0f, 0, 0);
    assert_pair(stick, 0.17f, 0.17f, 0, 0);  // length 0.2404
    assert_pair(stick, 0.19f, 0.19f, 2, 2);  // length 0.2687: motion begins small, both ways
    assert_pair(stick, 0.625f, 0.0f, 64, 0); // half of what is left
}

static void deflection_never_leaves_the_circle_nor_turns(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        const uint64_t seed = some_state;
        const float x = (float)some_below(40001) / 10000.0f - 2.0f;
        const float y = (float)some_below(40001) / 10000.0f - 2.0f;
        int32_t v[2];
        pair(stick, x, y, v);
        const double length = hypot(v[0], v[1]);
        // Each part is rounded by at most half a step, also across the circle.
        const double turned = fabs((double)v[0] * (double)y - (double)v[1] * (double)x);
        if (length > 127.0 + 0.71 || turned > 0.75 * hypot((double)x, (double)y)) {
            fail_msg("seed %llu: %g %g gave %d %d", (unsigned long long)seed, (double)x, (double)y,
                     v[0], v[1]);
        }
    }
}

static const bks_field polar[2] = {
    {.name = "angle", .bits = 4, .kind = BKS_FIELD_ANGLE, .neutral = 3, .dead_zone = 0.1f},
    {.name = "length", .bits = 3, .kind = BKS_FIELD_MAGNITUDE},
};

static void angle_counts_steps_around_and_wraps(void **state)
{
    (void)state;
    assert_pair(polar, 1.0f, 0.0f, 0, 7);
    assert_pair(polar, 0.0f, 1.0f, 4, 7);
    assert_pair(polar, -1.0f, 0.0f, 8, 7);
    assert_pair(polar, 0.0f, -1.0f, 12, 7);
    assert_pair(polar, 1.0f, 0.19f, 0, 7);   // 10.8 degrees of a step's 22.5: rounds down
    assert_pair(polar, 1.0f, 0.21f, 1, 7);   // 11.9 degrees
    assert_pair(polar, 1.0f, -0.21f, 15, 7); // 348.1 degrees
    assert_pair(polar, 1.0f, -0.19f, 0, 7);  // 349.2 degrees: wraps to the first
    assert_pair(polar, 1.0f, -1e-30f, 0, 7);
}

static void magnitude_grows_from_the_dead_zone_and_angle_rests_without_it(void **state)
{
    (void)state;
    assert_pair(polar, 0.0f, 0.55f, 4, 4); // half of 7 rounds up
    assert_pair(polar, 0.0f, 0.1f, 3, 0);
    assert_pair(polar, -0.12f, 0.0f, 3, 0); // 0.02 / 0.9 * 7 is no step yet
    assert_pair(polar, 0.0f, -5.0f, 12, 7);
    assert_pair(polar, NAN, NAN, 3, 0);
}

static void whole_controllers_keep_their_order(void **state)
{
    (void)state;
    const bks_field fields[] = {
        {.name = "jump", .bits = 1},
        stick[0],
        stick[1],
        polar[0],
        polar[1],
        {.name = "trigger", .bits = 8, .kind = BKS_FIELD_AXIS},
    };
    const float raw[6] = {1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.5f};
    int32_t values[6];
    assert_int_equal(bks_input_quantise(fields, 6, raw, values), BKS_OK);
    const int32_t wanted[6] = {1, 0, 127, 4, 7, 128};
    assert_memory_equal(values, wanted, sizeof(wanted));
}

static void any_number_gives_a_value_in_range(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        const uint64_t seed = some_state;
        bks_field fields[BKS_FIELDS_MAX];
        const uint32_t count = some_fields(fields);
        float raw[BKS_FIELDS_MAX];
        for (uint32_t i = 0; i < count; i++) {
            fields[i].kind = some_below(2) == 0 ? BKS_FIELD_PLAIN : BKS_FIELD_AXIS;
            const uint32_t bits = (uint32_t)some_number();
            memcpy(&raw[i], &bits, sizeof(raw[i])); // any float, NaN and infinities too
        }
        int32_t values[BKS_FIELDS_MAX];
        assert_int_equal(bks_input_quantise(fields, count, raw, values), BKS_OK);
        for (uint32_t i = 0; i < count; i++) {
            int32_t least = 0;
            int32_t greatest = 0;
            (void)bks_field_range(&fields[i], &least, &greatest);
            if (values[i] < least || values[i] > greatest) {
                fail_msg("seed %llu: %g gave %d", (unsigned long long)seed, (double)raw[i],
                         values[i]);
            }
        }
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const float raw[2] = {0.0f, 0.0f};
    int32_t values[2];
    assert_int_equal(bks_input_quantise(NULL, 2, raw, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_input_quantise(stick, 2, NULL, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_input_quantise(stick, 2, raw, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_input_quantise(stick, 0, raw, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_input_quantise(stick, 1, raw, values), BKS_ERR_BAD_ARGUMENT);
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20264);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_are_rounded_and_clamped),
        cmocka_unit_test(axis_starts_at_zero_just_outside_its_dead_zone),
        cmocka_unit_test(limit_is_the_value_of_full_deflection),
        cmocka_unit_test(stick_is_clamped_to_its_circle),
        cmocka_unit_test(dead_zone_of_a_stick_is_round),
        cmocka_unit_test(deflection_never_leaves_the_circle_nor_turns),
        cmocka_unit_test(angle_counts_steps_around_and_wraps),
        cmocka_unit_test(magnitude_grows_from_the_dead_zone_and_angle_rests_without_it),
        cmocka_unit_test(whole_controllers_keep_their_order),
        cmocka_unit_test(any_number_gives_a_value_in_range),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
