// SPDX-License-Identifier: MIT

#include "diagnose/check/check_race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CHANCES = 200 };

static double power(double base, uint32_t exponent)
{
    double result = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        result *= base;
    }
    return result;
}

// Return how likely chance alone proves a race, if each run differs with a given probability,
// whatever its threads do.
static double chance_of_proof(double differs)
{
    double likely[CHECK_RACE_PLAIN_MAX + 1] = {1}; // by the number of runs that differ
    double proven = 0;
    for (uint32_t plain = 0; plain <= CHECK_RACE_PLAIN_MAX; plain++) {
        for (uint32_t k = 0; k <= plain; k++) {
            if (!check_race_wants_plain(plain, k)) {
                const uint32_t needed = check_race_runs_needed(plain, k);
                proven +=
                    needed <= CHECK_RACE_SERIAL_MAX ? likely[k] * power(1 - differs, needed) : 0;
                likely[k] = 0;
            }
        }
        for (uint32_t k = plain + 1; k > 0 && plain < CHECK_RACE_PLAIN_MAX; k--) {
            likely[k] = likely[k] * (1 - differs) + likely[k - 1] * differs;
        }
        likely[0] *= 1 - differs;
    }
    return proven;
}

static void chance_proves_a_race_in_less_than_one_case_in_a_hundred(void **state)
{
    (void)state;
    // bks check may count runs of two kinds.
    for (uint32_t i = 0; i <= CHANCES; i++) {
        assert_true(2 * chance_of_proof((double)i / CHANCES) < 0.01);
    }
}

static void a_race_that_always_shows_is_proven_soon(void **state)
{
    (void)state;
    assert_true(check_race_wants_plain(0, 0));
    assert_true(check_race_wants_plain(5, 5));
    assert_false(check_race_wants_plain(6, 6));
    assert_int_equal(check_race_runs_needed(6, 6), 4);
}

static void a_race_that_never_shows_is_not_looked_for_again(void **state)
{
    (void)state;
    assert_false(check_race_wants_plain(6, 0));
    assert_true(check_race_wants_plain(6, 1));
    assert_false(check_race_wants_plain(CHECK_RACE_PLAIN_MAX, 1));
    assert_true(check_race_runs_needed(CHECK_RACE_PLAIN_MAX, 1) > CHECK_RACE_SERIAL_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_proves_a_race_in_less_than_one_case_in_a_hundred),
        cmocka_unit_test(a_race_that_always_shows_is_proven_soon),
        cmocka_unit_test(a_race_that_never_shows_is_not_looked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
