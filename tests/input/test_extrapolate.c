// SPDX-License-Identifier: MIT

#include "input/extrapolate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "input/some_input.h"

static bks_field axis_of(bks_predictor predictor)
{
    return (bks_field){.name = "axis",
                       .bits = 8,
                       .is_signed = true,
                       .kind = BKS_FIELD_AXIS,
                       .limit = 100,
                       .predictor = predictor};
}

static void make_stick(bks_field out[2], bks_predictor predictor)
{
    out[0] = axis_of(predictor);
    out[0].kind = BKS_FIELD_STICK_X;
    out[1] = axis_of(predictor);
    out[1].kind = BKS_FIELD_STICK_Y;
}

static void make_polar(bks_field out[2], bks_predictor predictor)
{
    out[0] =
        (bks_field){.name = "angle", .bits = 8, .kind = BKS_FIELD_ANGLE, .predictor = predictor};
    out[1] = (bks_field){
        .name = "magnitude", .bits = 8, .kind = BKS_FIELD_MAGNITUDE, .predictor = predictor};
}

/// Guess of an axis from samples, the newest first.
static int32_t guess_axis(bks_predictor predictor, uint32_t count, uint32_t steps, int32_t a,
                          int32_t b, int32_t c, int32_t d)
{
    const bks_field axis = axis_of(predictor);
    const int32_t samples[4][2] = {{a, 0}, {b, 0}, {c, 0}, {d, 0}};
    int32_t guess[2];
    bksi_extrapolate(&axis, samples, count, steps, guess);
    return guess[0];
}

static void linear_continues_the_line_of_the_last_two(void **state)
{
    (void)state;
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 2, 1, 10, 7, 0, 0), 13);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 4, 1, 10, 7, -50, 90), 13);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 4, 5, 10, 7, -50, 90), 25);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 4, 3, -10, -7, 0, 0), -19);
}

static void spline_sees_that_a_movement_slows_down(void **state)
{
    (void)state;
    // 0, 40, 60, 70: the steps are 40, 20, 10, so the next is less than 10.
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 4, 1, 70, 60, 40, 0), 80);
    // 10 + (4 * -10 - -20) / 15 = 8.67 for each tick.
    assert_int_equal(guess_axis(BKS_PREDICT_SPLINE, 4, 1, 70, 60, 40, 0), 79);
    assert_int_equal(guess_axis(BKS_PREDICT_SPLINE, 4, 2, 70, 60, 40, 0), 87);
    // And on a straight line it is one.
    assert_int_equal(guess_axis(BKS_PREDICT_SPLINE, 4, 2, 30, 20, 10, 0), 50);
}

/// The end of a natural cubic spline, by solving for its second derivatives.
static double spline_slope(const double y[4])
{
    const double bend_1 = 6 * (y[0] - 2 * y[1] + y[2]);
    const double bend_2 = 6 * (y[1] - 2 * y[2] + y[3]);
    const double second = (4 * bend_2 - bend_1) / 15;
    return y[3] - y[2] + second / 6;
}

static void spline_is_the_end_of_the_natural_cubic_one(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        int32_t s[4];
        for (int k = 0; k < 4; k++) {
            s[k] = (int32_t)some_below(41) - 20;
        }
        const double y[4] = {s[3], s[2], s[1], s[0]};
        const double wanted = s[0] == s[1] ? s[0] : s[0] + spline_slope(y);
        const int32_t got = guess_axis(BKS_PREDICT_SPLINE, 4, 1, s[0], s[1], s[2], s[3]);
        assert_true(fabs(wanted - got) <= 0.5 + 1e-9);
    }
}

static void a_value_at_rest_stays_and_one_sample_is_repeated(void **state)
{
    (void)state;
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 1, 9, 42, 0, 0, 0), 42);
    assert_int_equal(guess_axis(BKS_PREDICT_SPLINE, 4, 9, 80, 80, 50, 0), 80);
    assert_int_equal(guess_axis(BKS_PREDICT_SPLINE, 3, 1, 30, 20, 0, 0), 40);
    bks_field stick[2];
    make_stick(stick, BKS_PREDICT_SPLINE);
    const int32_t samples[4][2] = {{90, 90}, {90, 90}, {0, 3}, {1, 2}};
    int32_t guess[2];
    bksi_extrapolate(stick, samples, 4, 3, guess);
    assert_int_equal(guess[0], 90); // also outside the circle, where the device put it
    assert_int_equal(guess[1], 90);
}

static void an_axis_ends_at_full_deflection(void **state)
{
    (void)state;
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 2, 1, 90, 60, 0, 0), 100);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 2, 1000, -90, -60, 0, 0), -100);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 2, 1, 120, 110, 0, 0), 120);
    assert_int_equal(guess_axis(BKS_PREDICT_LINEAR, 2, 1, -128, 110, 0, 0), -128);
}

static void a_stick_keeps_its_direction_at_the_rim(void **state)
{
    (void)state;
    bks_field stick[2];
    make_stick(stick, BKS_PREDICT_LINEAR);
    const int32_t samples[2][2] = {{60, 45}, {20, 15}};
    int32_t guess[2];
    bksi_extrapolate(stick, samples, 2, 3, guess);
    assert_int_equal(guess[0], 80); // (180, 135) cut to a length of 100
    assert_int_equal(guess[1], 60);
    const int32_t near[2][2] = {{80, 60}, {76, 57}};
    bksi_extrapolate(stick, near, 2, 1, guess);
    assert_int_equal(guess[0], 80); // (84, 63)
    assert_int_equal(guess[1], 60);
    // A device that reaches into the corners does so in guesses too, but no farther than it is.
    const int32_t corner[2][2] = {{90, 90}, {80, 80}};
    bksi_extrapolate(stick, corner, 2, 1, guess);
    assert_in_range(guess[0], 89, 90);
    assert_in_range(guess[1], 89, 90);
}

static void an_angle_is_guessed_as_a_vector(void **state)
{
    (void)state;
    bks_field polar[2];
    make_polar(polar, BKS_PREDICT_LINEAR);
    int32_t guess[2];
    // Growing in one direction: the angle stays.
    const int32_t growing[2][2] = {{64, 100}, {64, 50}};
    bksi_extrapolate(polar, growing, 2, 1, guess);
    assert_int_equal(guess[0], 64);
    assert_int_equal(guess[1], 150);
    // Across zero it is a short way, not all around.
    const int32_t across[2][2] = {{2, 100}, {254, 100}};
    bksi_extrapolate(polar, across, 2, 1, guess);
    assert_in_range(guess[0], 5, 6);
    // Through the middle it comes out on the other side.
    const int32_t through[2][2] = {{0, 20}, {0, 60}};
    bksi_extrapolate(polar, through, 2, 1, guess);
    assert_int_equal(guess[0], 128);
    assert_int_equal(guess[1], 20);
    bksi_extrapolate(polar, through, 2, 100, guess);
    assert_int_equal(guess[1], 255);
    // In the very middle the angle means nothing and stays.
    const int32_t middle[2][2] = {{77, 30}, {77, 60}};
    bksi_extrapolate(polar, middle, 2, 1, guess);
    assert_int_equal(guess[0], 77);
    assert_int_equal(guess[1], 0);
}

static void polar_agrees_with_floating_point(void **state)
{
    (void)state;
    const double turn = 2 * acos(-1.0) / 256;
    bks_field polar[2];
    make_polar(polar, BKS_PREDICT_LINEAR);
    for (int i = 0; i < 5000; i++) {
        int32_t s[2][2];
        for (int k = 0; k < 2; k++) {
            s[k][0] = (int32_t)some_below(256);
            s[k][1] = (int32_t)some_below(256);
        }
        const double x = 2 * s[0][1] * cos(s[0][0] * turn) - s[1][1] * cos(s[1][0] * turn);
        const double y = 2 * s[0][1] * sin(s[0][0] * turn) - s[1][1] * sin(s[1][0] * turn);
        const double length = fmin(sqrt(x * x + y * y), 255);
        int32_t guess[2];
        bksi_extrapolate(polar, (const int32_t(*)[2])s, 2, 1, guess);
        assert_true(fabs(length - guess[1]) <= 0.6);
        if (length > 20) {
            const double away = remainder(atan2(y, x) / turn - guess[0], 256);
            assert_true(fabs(away) <= 0.6);
        }
    }
}

/// Any pair or axis of any bits, any samples: within the range, and no arithmetic overflows.
static void no_guess_leaves_its_range(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const bks_predictor predictor =
            some_below(2) == 0 ? BKS_PREDICT_LINEAR : BKS_PREDICT_SPLINE;
        bks_field fields[2];
        const uint32_t shape = some_below(3);
        make_stick(fields, predictor);
        if (shape == 1) {
            make_polar(fields, predictor);
        } else if (shape == 2) {
            fields[0].kind = BKS_FIELD_AXIS;
        }
        int32_t samples[4][2] = {{0}};
        for (uint32_t k = 0; k < 2; k++) {
            fields[k].bits = fields[k].is_signed ? 2 + some_below(31) : 1 + some_below(31);
            int32_t greatest = 0;
            (void)bks_field_range(&fields[k], NULL, &greatest);
            fields[k].limit = some_below(2) == 0 ? 0 : (int32_t)some_below((uint32_t)greatest) + 1;
            for (uint32_t n = 0; n < 4; n++) {
                samples[n][k] = some_value(&fields[k]);
            }
        }
        int32_t guess[2];
        bksi_extrapolate(fields, (const int32_t(*)[2])samples, 1 + some_below(4),
                         1 + some_below(1000), guess);
        for (uint32_t k = 0; k < (shape == 2 ? 1u : 2u); k++) {
            int32_t least = 0;
            int32_t greatest = 0;
            (void)bks_field_range(&fields[k], &least, &greatest);
            assert_true(guess[k] >= least && guess[k] <= greatest);
        }
    }
}

int main(int argc, char **argv)
{
    some_begin(argc, argv, 20271);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_continues_the_line_of_the_last_two),
        cmocka_unit_test(spline_sees_that_a_movement_slows_down),
        cmocka_unit_test(spline_is_the_end_of_the_natural_cubic_one),
        cmocka_unit_test(a_value_at_rest_stays_and_one_sample_is_repeated),
        cmocka_unit_test(an_axis_ends_at_full_deflection),
        cmocka_unit_test(a_stick_keeps_its_direction_at_the_rim),
        cmocka_unit_test(an_angle_is_guessed_as_a_vector),
        cmocka_unit_test(polar_agrees_with_floating_point),
        cmocka_unit_test(no_guess_leaves_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
