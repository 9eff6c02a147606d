// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/lobby/lobby_clock.h"

enum { STAMP = 5000000, TRIP = 20000 };

static void the_shortest_round_trip_is_believed(void **state)
{
    (void)state;
    session_host_clock clock = {0};
    assert_true(bksi_host_clock_read(&clock, 1000000, STAMP, TRIP));
    assert_int_equal(clock.ahead_us, STAMP + TRIP / 2 - 1000000);
    assert_false(bksi_host_clock_read(&clock, 1000000, STAMP + 777, TRIP));
    assert_int_equal(clock.ahead_us, STAMP + TRIP / 2 - 1000000);
    assert_true(bksi_host_clock_read(&clock, 1000000, STAMP, TRIP - 2));
    assert_int_equal(clock.ahead_us, STAMP + TRIP / 2 - 1 - 1000000);
}

static void the_first_tick_is_known_once_clock_and_start_are(void **state)
{
    (void)state;
    session_host_clock clock = {0};
    int64_t left_ns = 0;
    assert_false(bksi_host_clock_left(&clock, 0, &left_ns));
    bksi_host_clock_start(&clock, 5000000);
    assert_false(bksi_host_clock_left(&clock, 0, &left_ns));
    (void)bksi_host_clock_read(&clock, 1000, 3001000, 0); // 3 s ahead of ours
    assert_true(bksi_host_clock_left(&clock, 500000, &left_ns));
    assert_true(left_ns == INT64_C(1500000000));
    assert_true(bksi_host_clock_left(&clock, 2500000, &left_ns)); // the time has passed
    assert_true(left_ns == INT64_C(-500000000));
}

static void clocks_that_wrap_around_agree_all_the_same(void **state)
{
    (void)state;
    session_host_clock clock = {0};
    int64_t left_ns = 0;
    (void)bksi_host_clock_read(&clock, UINT32_MAX, 99, 0); // ours wraps with the next microsecond
    bksi_host_clock_start(&clock, 1100);
    assert_true(bksi_host_clock_left(&clock, 0, &left_ns));
    assert_true(left_ns == INT64_C(1000000));
}

static void a_start_in_a_far_future_is_not_believed(void **state)
{
    (void)state;
    session_host_clock clock = {0};
    int64_t left_ns = 0;
    (void)bksi_host_clock_read(&clock, 0, 0, 0);
    bksi_host_clock_start(&clock, TRIP_US_MAX);
    assert_true(bksi_host_clock_left(&clock, 0, &left_ns));
    bksi_host_clock_start(&clock, TRIP_US_MAX + 1);
    assert_false(bksi_host_clock_left(&clock, 0, &left_ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_round_trip_is_believed),
        cmocka_unit_test(the_first_tick_is_known_once_clock_and_start_are),
        cmocka_unit_test(clocks_that_wrap_around_agree_all_the_same),
        cmocka_unit_test(a_start_in_a_far_future_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
