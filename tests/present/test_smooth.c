// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/present.h"
#include "base/mutant.h"

#define MS UINT64_C(1000000)

/// Speed: 60 units a second.
#define SPEED 60.0f

static float distance(float a, float b)
{
    return a > b ? a - b : b - a;
}

/// Move something steadily; at 500 ms a correction moves it on by 8 units.
/// @return shown value minus true value, two half-lives after the corrected frame
static float error_left(uint32_t rate_hz)
{
    bks_smooth smooth = {.half_life_ms = 50.0f, .most = 20.0f};
    float left = 0.0f;
    bool was_corrected = false;
    uint64_t passed_ns = 0;
    uint64_t corrected_ns = 0;
    for (uint64_t i = 0; i <= 6 * (uint64_t)rate_hz / 10; i++) {
        const uint64_t now_ns = i * 1000 * MS / rate_hz;
        const bool is_corrected = now_ns >= 500 * MS && !was_corrected;
        was_corrected |= is_corrected;
        const float value = SPEED * (float)now_ns / 1e9f + (was_corrected ? 8.0f : 0.0f);
        const float shown = bks_smooth_show(&smooth, value, SPEED, is_corrected, now_ns);
        left = shown - value;
        if (!was_corrected) {
            assert_true(left == 0.0f);
        } else if (is_corrected) {
            assert_true(distance(left, -8.0f) < 0.01f); // nothing jumps
            corrected_ns = now_ns;
        }
        passed_ns = now_ns - corrected_ns;
    }
    // Most frame rates have no frame at just that time.
    return left * exp2f(((float)passed_ns / 1e6f - 100.0f) / smooth.half_life_ms);
}

static void an_error_is_halved_in_its_time_at_every_picture_rate(void **context)
{
    (void)context;
    static const uint32_t rates_hz[] = {30, 60, 75, 100, 120, 144, 240};
    for (size_t i = 0; i < sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        assert_true(distance(error_left(rates_hz[i]), -2.0f) < 0.02f); // two half-lives
    }
}

static void easing_by_pictures_instead_of_time_is_found(void **context)
{
    (void)context;
    bksi_mutant_set(BKSI_MUTANT_EASE_BY_PICTURES);
    const float left = error_left(240);
    bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_true(distance(left, -2.0f) > 0.5f);
}

/// In a match of four players almost every frame is corrected, mostly by nothing.
static void corrections_that_move_nothing_show_no_lag(void **context)
{
    (void)context;
    bks_smooth smooth = {.half_life_ms = 50.0f};
    for (uint64_t ms = 0; ms < 2000; ms += 16) {
        const float value = SPEED * (float)ms / 1000.0f;
        const float shown = bks_smooth_show(&smooth, value, SPEED, true, ms * MS);
        assert_true(distance(shown, value) < 0.01f);
    }
}

static void a_larger_error_is_a_jump(void **context)
{
    (void)context;
    bks_smooth smooth = {.half_life_ms = 50.0f, .most = 20.0f};
    (void)bks_smooth_show(&smooth, 0.0f, 0.0f, false, 0);
    assert_true(bks_smooth_show(&smooth, 21.0f, 0.0f, true, MS) == 21.0f);
    assert_true(distance(bks_smooth_show(&smooth, 2.0f, 0.0f, true, 2 * MS), 21.0f) < 0.01f);
}

static void what_was_no_number_once_is_forgotten(void **context)
{
    (void)context;
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bks_smooth smooth = {.half_life_ms = 40.0f};
        (void)bks_smooth_show(&smooth, 10.0f, wrong[i], false, 16 * MS);
        (void)bks_smooth_show(&smooth, wrong[i], 0.0f, true, 32 * MS);
        (void)bks_smooth_show(&smooth, 10.0f, 0.0f, true, 48 * MS);
        assert_true(bks_smooth_show(&smooth, 10.0f, 0.0f, false, 64 * MS) == 10.0f);
    }
}

static void an_angle_turns_back_the_shorter_way(void **context)
{
    (void)context;
    bks_smooth smooth = {.half_life_ms = 50.0f, .turn = 360.0f};
    (void)bks_smooth_show(&smooth, 350.0f, 0.0f, false, 0);
    assert_true(distance(bks_smooth_show(&smooth, 10.0f, 0.0f, true, 0), -10.0f) < 0.01f);
}

static void one_that_is_used_for_something_else_begins_anew(void **context)
{
    (void)context;
    bks_smooth smooth = {.half_life_ms = 50.0f};
    (void)bks_smooth_show(&smooth, 0.0f, 0.0f, false, 0);
    (void)bks_smooth_show(&smooth, 8.0f, 0.0f, true, MS);
    smooth.is_shown = false;
    assert_true(bks_smooth_show(&smooth, 100.0f, 0.0f, true, 2 * MS) == 100.0f);
    assert_true(bks_smooth_show(NULL, 3.0f, 0.0f, true, 0) == 3.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_halved_in_its_time_at_every_picture_rate),
        cmocka_unit_test(easing_by_pictures_instead_of_time_is_found),
        cmocka_unit_test(corrections_that_move_nothing_show_no_lag),
        cmocka_unit_test(a_larger_error_is_a_jump),
        cmocka_unit_test(what_was_no_number_once_is_forgotten),
        cmocka_unit_test(an_angle_turns_back_the_shorter_way),
        cmocka_unit_test(one_that_is_used_for_something_else_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
