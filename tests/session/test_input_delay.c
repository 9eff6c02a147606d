// SPDX-License-Identifier: MIT

// The automatic input delay is one of times, whatever the tick rate.

#include "session/time/input_delay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS_NS 1e6

/// A line that loses one packet in a hundred.
static const session_needs_model model = {.lines = 1, .growth = 0.01};

static session_common common;
static session_input_delay delay;

static void set_up(uint32_t rate_hz, uint32_t window, uint32_t ticks)
{
    memset(&common, 0, sizeof(common));
    memset(&delay, 0, sizeof(delay));
    common.config.tick_rate_hz = rate_hz;
    common.config.tuning.window_ticks = window;
    bksi_rollback_limit(&common.engine, window);
    common.config.tuning.delay_ticks = ticks;
    bksi_input_delay_init(&delay, &common);
}

static uint32_t chosen(double lag_ms)
{
    const session_lags lags = {.local_ns = lag_ms * MS_NS, .remote_ns = lag_ms * MS_NS};
    bksi_input_delay_end_span(&delay, &common, &lags, true, &model);
    return delay.wanted;
}

static void it_follows_the_lag_in_time_at_every_rate(void **state)
{
    (void)state;
    static const struct {
        uint32_t rate_hz;
        uint32_t at_lags[5]; ///< lags of 20, 40, 60, 110 and 140 ms
    } rates[] = {
        {60, {0, 1, 2, 3, 4}}, {120, {0, 2, 4, 6, 8}}, {30, {0, 0, 1, 1, 2}}, {1, {0, 0, 0, 0, 0}}};
    static const double lags_ms[] = {20.0, 40.0, 60.0, 110.0, 140.0};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        set_up(rates[i].rate_hz, 64, BKS_AUTO);
        for (size_t k = 0; k < 5; k++) {
            assert_int_equal(chosen(lags_ms[k]), rates[i].at_lags[k]);
        }
    }
}

static void it_does_not_go_back_and_forth(void **state)
{
    (void)state;
    set_up(60, 20, BKS_AUTO);
    assert_int_equal(chosen(52.0), 2);
    assert_int_equal(chosen(40.0), 2);
    assert_int_equal(chosen(32.0), 1);
    assert_int_equal(chosen(40.0), 1);
    assert_int_equal(chosen(16.0), 0);
}

static void it_makes_up_what_a_window_lacks(void **state)
{
    (void)state;
    set_up(1000, 20, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 50.0 * MS_NS, &model);
    assert_int_equal(delay.now, 47); // 50 + 17 - 20
    assert_int_equal(chosen(54.0), 51);
    assert_int_equal(chosen(50.0), 51); // hardly too much
    assert_int_equal(chosen(30.0), 27);
    set_up(60, 20, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 1000.0 * MS_NS, &model);
    assert_int_equal(delay.now, 42);
    set_up(1000, 20, BKS_AUTO);
    assert_int_equal(chosen(3000.0), BKS_DELAY_MAX);
}

/// A peer that is ahead of us looks late from there; it is not late here.
static void what_others_lack_of_us_is_no_lack_of_the_window(void **state)
{
    (void)state;
    set_up(60, 1, BKS_AUTO);
    const session_lags lags = {.local_ns = 2.0 * MS_NS, .remote_ns = 200.0 * MS_NS};
    bksi_input_delay_end_span(&delay, &common, &lags, true, &model);
    assert_int_equal(delay.wanted, 4);
}

static void a_fixed_one_stays(void **state)
{
    (void)state;
    set_up(60, 0, 7);
    bksi_input_delay_start(&delay, &common, 300.0 * MS_NS, &model);
    bksi_input_delay_pass_tick(&delay, 50, true);
    assert_int_equal(chosen(300.0), 7);
    assert_int_equal(delay.now, 7);
}

static void pass(uint32_t ticks, uint32_t need)
{
    for (uint32_t i = 0; i < ticks; i++) {
        bksi_input_delay_pass_tick(&delay, need, true);
    }
}

/// Pass ticks of a line that loses one packet in a hundred, for some seconds.
static void pass_seconds(uint32_t seconds)
{
    for (uint32_t i = 0; i < seconds * 60; i++) {
        pass(1, i % 100 == 0 ? 4 : 3);
        if (i % 100 == 99) {
            (void)chosen(0.0);
        }
    }
}

static void lockstep_takes_what_hardly_a_tick_a_minute_exceeds(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    assert_int_equal(delay.now, 4);
    pass_seconds(10);
    assert_in_range(delay.wanted, 4, 6); // two losses in a row come once in three minutes
}

static void a_need_that_came_once_raises_nothing_beyond_the_wait(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    const uint32_t before = delay.wanted;
    pass(1, 30);
    pass_seconds(5);
    assert_int_equal(delay.wanted, before);
    pass(1, 30);
    pass_seconds(5);
    assert_in_range(delay.wanted, 30, 31);
}

/// A delay that was raised during a wait has cost nothing. It is kept for 20 s without need.
static void it_is_lowered_after_20_seconds_without_need(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    const uint32_t before = delay.wanted;
    pass(1, 9);
    delay.now = 9;
    bksi_input_delay_resume(&delay, &common, &model);
    assert_int_equal(delay.wanted, 9);
    pass_seconds(18);
    assert_int_equal(delay.wanted, 9);
    pass_seconds(25);
    delay.now = delay.wanted;
    assert_in_range(delay.wanted, before, before + 1);
}

static void what_is_not_due_to_lines_is_no_need(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    const uint32_t before = delay.wanted;
    for (uint32_t i = 0; i < 200; i++) {
        bksi_input_delay_pass_tick(&delay, 30 + i, false);
    }
    (void)chosen(0.0);
    assert_int_equal(delay.wanted, before);
    pass(100, 200);
    bksi_input_delay_drop_span(&delay);
    (void)chosen(0.0);
    assert_int_equal(delay.wanted, before);
}

/// Ticks need a delay of 40 in a disturbance, such as a silence, a detour or a slow machine.
static void what_a_disturbance_needed_is_given_back_after_a_second(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    const uint32_t before = delay.wanted;
    for (uint32_t i = 0; i < 10; i++) {
        pass(1, 40);
        bksi_input_delay_disturb(&delay);
        pass(1, 40);
        delay.now = 40;
        bksi_input_delay_resume(&delay, &common, &model);
        assert_int_equal(delay.wanted, 40);
    }
    bksi_input_delay_disturb(&delay);
    pass_seconds(2);
    assert_in_range(delay.wanted, before, before + 1);
}

/// A wait for a peer that falls silent raises the delay before the silence is noticed.
static void a_raise_just_before_a_disturbance_is_given_back(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    for (uint32_t i = 0; i < 60; i++) {
        bksi_input_delay_mark(&delay);
        pass_seconds(1);
    }
    const uint32_t before = delay.wanted;
    pass(3, 40);
    delay.now = 40;
    bksi_input_delay_resume(&delay, &common, &model);
    assert_int_equal(delay.wanted, 40);
    bksi_input_delay_mark(&delay);
    bksi_input_delay_disturb(&delay);
    pass_seconds(2);
    assert_in_range(delay.wanted, before, before + 1);
}

/// After a disturbance, ticks keep needing a delay of 40, because the lines became longer.
static void what_is_needed_after_a_disturbance_too_is_kept(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    bksi_input_delay_disturb(&delay);
    for (uint32_t i = 0; i < 15; i++) {
        pass(100, 40);
        (void)chosen(0.0);
        assert_in_range(delay.wanted, 40, 41);
    }
}

/// Return the wanted delay after a second in which one tick of five needs a tick more than the
/// others, and one of 30 two more, on lines that lose one packet in five.
static uint32_t after_a_lossy_second(void)
{
    static const session_needs_model lossy = {.lines = 2, .growth = 0.2};
    static const session_lags lags = {0.0, 0.0};
    for (uint32_t i = 0; i < 60; i++) {
        pass(1, i % 30 == 0 ? 11 : i % 5 == 0 ? 10 : 9);
    }
    bksi_input_delay_end_span(&delay, &common, &lags, true, &lossy);
    return delay.wanted;
}

/// A delay that is kept where few ticks are late is long enough after a disturbance, too.
static void a_delay_that_would_be_kept_is_enough_after_a_disturbance(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    delay.wanted = delay.now = 12;
    for (uint32_t i = 0; i < 10; i++) {
        bksi_input_delay_mark(&delay);
        assert_int_equal(after_a_lossy_second(), 12);
    }
    pass(3, 20);
    bksi_input_delay_disturb(&delay);
    delay.wanted = delay.now = 20;
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < 5; i++) {
        wanted = after_a_lossy_second();
    }
    assert_in_range(wanted, 12, 13);
}

/// Ticks of a quarter of the duration need four times the delay, and a quarter of it after that.
static void a_change_of_speed_keeps_the_delay_in_time(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    bksi_input_delay_start(&delay, &common, 30.0 * MS_NS, &model);
    pass_seconds(10);
    const uint32_t before = delay.wanted;
    bksi_input_delay_scale(&delay, &common, 4.0);
    assert_int_equal(delay.wanted, 4 * before);
    delay.now = delay.wanted = 200; // as after a queue
    bksi_input_delay_scale(&delay, &common, 0.25);
    assert_int_equal(delay.wanted, 50);
    pass_seconds(3);
    assert_in_range(delay.wanted, before, before + 1);
}

static void a_delay_far_too_long_is_given_back_within_5_seconds(void **state)
{
    (void)state;
    set_up(60, 0, BKS_AUTO);
    delay.wanted = 5;
    delay.now = 140;
    uint32_t ticks = 0;
    for (; delay.now > 6 && ticks < 600; ticks++) {
        bksi_input_delay_pass_tick(&delay, 4, true);
        (void)bksi_input_delay_change(&delay, &common, 0, false);
    }
    assert_true(ticks < 300);
}

static uint32_t ticks_to_change(uint32_t rate_hz, uint32_t asked)
{
    set_up(rate_hz, 20, BKS_AUTO);
    delay.wanted = 3;
    for (uint32_t ticks = 0;; ticks++) {
        if (bksi_input_delay_change(&delay, &common, asked, false) != 0) {
            return ticks;
        }
        bksi_input_delay_pass_tick(&delay, 1, true);
    }
}

static void it_changes_by_a_tick_now_and_then(void **state)
{
    (void)state;
    assert_int_equal(ticks_to_change(60, 0), 10);
    assert_int_equal(ticks_to_change(1000, 0), 10);
    assert_int_equal(ticks_to_change(20, 0), 3);
    assert_int_equal(ticks_to_change(1, 0), 0);
    assert_int_equal(ticks_to_change(60, 8), 2);
    assert_int_equal(delay.now, 1);
    assert_true(bksi_input_delay_starve(&delay, 2));
    assert_true(bksi_input_delay_starve(&delay, 2));
    assert_false(bksi_input_delay_starve(&delay, 2));
    assert_int_equal(delay.now, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_the_lag_in_time_at_every_rate),
        cmocka_unit_test(it_does_not_go_back_and_forth),
        cmocka_unit_test(it_makes_up_what_a_window_lacks),
        cmocka_unit_test(what_others_lack_of_us_is_no_lack_of_the_window),
        cmocka_unit_test(a_fixed_one_stays),
        cmocka_unit_test(lockstep_takes_what_hardly_a_tick_a_minute_exceeds),
        cmocka_unit_test(a_need_that_came_once_raises_nothing_beyond_the_wait),
        cmocka_unit_test(it_is_lowered_after_20_seconds_without_need),
        cmocka_unit_test(what_is_not_due_to_lines_is_no_need),
        cmocka_unit_test(what_a_disturbance_needed_is_given_back_after_a_second),
        cmocka_unit_test(a_raise_just_before_a_disturbance_is_given_back),
        cmocka_unit_test(what_is_needed_after_a_disturbance_too_is_kept),
        cmocka_unit_test(a_delay_that_would_be_kept_is_enough_after_a_disturbance),
        cmocka_unit_test(a_change_of_speed_keeps_the_delay_in_time),
        cmocka_unit_test(a_delay_far_too_long_is_given_back_within_5_seconds),
        cmocka_unit_test(it_changes_by_a_tick_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
