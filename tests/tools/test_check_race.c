// SPDX-License-Identifier: MIT

#include "diagnose/check/check_race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Count the ways to choose some of a number of runs, one by one.
static uint32_t choices(uint32_t runs, uint32_t chosen)
{
    uint32_t count = 0;
    for (uint32_t set = 0; set < UINT32_C(1) << runs; set++) {
        count += (uint32_t)__builtin_popcount(set) == chosen ? 1 : 0;
    }
    return count;
}

static void chance_explains_one_in_two_hundred(void **state)
{
    (void)state;
    const uint32_t plain = CHECK_RACE_PLAIN_RUNS;
    for (uint32_t differ = 1; differ <= plain; differ++) {
        const uint32_t needed = check_race_runs_needed(plain, differ);
        const uint32_t last = needed <= CHECK_RACE_SERIAL_RUNS ? needed : CHECK_RACE_SERIAL_RUNS;
        for (uint32_t serial = 4; serial <= last; serial++) {
            const bool is_rare = 200 * choices(plain, differ) <= choices(plain + serial, differ);
            assert_int_equal(is_rare, serial == needed);
        }
    }
}

static void a_race_that_shows_seldom_is_never_proven(void **state)
{
    (void)state;
    assert_true(check_race_runs_needed(CHECK_RACE_PLAIN_RUNS, 0) > CHECK_RACE_SERIAL_RUNS);
    assert_true(check_race_runs_needed(CHECK_RACE_PLAIN_RUNS, 3) > CHECK_RACE_SERIAL_RUNS);
    assert_int_equal(check_race_runs_needed(CHECK_RACE_PLAIN_RUNS, 6), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_explains_one_in_two_hundred),
        cmocka_unit_test(a_race_that_shows_seldom_is_never_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
