// SPDX-License-Identifier: MIT

// Hitches, times between ticks and gaps between stalls.

#include "session/time/evenness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static session_common common;
static session_evenness evenness;
static bks_stats stats;

static void set_up(void)
{
    memset(&common, 0, sizeof(common));
    memset(&evenness, 0, sizeof(evenness));
    memset(&stats, 0, sizeof(stats));
    common.config.tick_rate_hz = 50;
}

static void step_after(uint32_t ms)
{
    common.now_ns += ms * NS_PER_MS;
    bksi_evenness_step(&evenness, &common);
}

static void times_between_ticks_are_told_by_their_percentiles(void **state)
{
    (void)state;
    set_up();
    for (uint32_t i = 0; i < 1000; i++) {
        step_after(i == 500 ? 700 : i % 50 == 0 ? 40 : 20);
    }
    bksi_evenness_write(&evenness, &common, &stats);
    assert_true(stats.tick_interval_ms_p50 == 20.0);
    assert_true(stats.tick_interval_ms_p99 == 40.0);
    assert_true(stats.tick_interval_ms_max == 700.0);
}

static void a_wait_before_the_first_step_is_no_hitch(void **state)
{
    (void)state;
    set_up();
    bksi_evenness_begin_hitch(&evenness);
    bksi_evenness_end_hitch(&evenness, 300 * NS_PER_MS);
    step_after(0);
    bksi_evenness_begin_hitch(&evenness);
    bksi_evenness_end_hitch(&evenness, 30 * NS_PER_MS);
    bksi_evenness_write(&evenness, &common, &stats);
    assert_int_equal(stats.hitches, 1);
    assert_true(stats.hitch_ms_max > 29.9 && stats.hitch_ms_max < 30.1);
    assert_int_equal(stats.stall_gaps, 0);
}

static void stalls_are_told_by_the_ticks_between_them(void **state)
{
    (void)state;
    set_up();
    static const bks_tick ticks[] = {10, 21, 30, 50};
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        common.engine.progress.front = ticks[i];
        bksi_evenness_stall(&evenness, &common);
    }
    bksi_evenness_write(&evenness, &common, &stats);
    assert_int_equal(stats.stall_gaps, 3);
    assert_int_equal(stats.stall_gap_least, 9);
    assert_true(stats.stall_gap_mean > 13.3 && stats.stall_gap_mean < 13.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_between_ticks_are_told_by_their_percentiles),
        cmocka_unit_test(a_wait_before_the_first_step_is_no_hitch),
        cmocka_unit_test(stalls_are_told_by_the_ticks_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
