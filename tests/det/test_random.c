// SPDX-License-Identifier: MIT

#include "backstitch/det.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

/// First line of round 1 of pcg32-demo from pcg-random.org, seed 42, stream 54.
static void the_numbers_are_those_of_the_reference(void **state)
{
    (void)state;
    const uint32_t reference[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                  0x83d2f293, 0xbfa4784b, 0xcbed606e};
    bks_random random;
    bks_random_seed(&random, 42, 54);
    for (size_t i = 0; i < 6; i++) {
        assert_true(bks_random_next(&random) == reference[i]);
    }
}

static void a_copied_generator_continues_alike(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 1, 2);
    bks_random_next(&random);
    bks_random copy = random;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(bks_random_next(&random), bks_random_next(&copy));
    }
}

static void streams_of_one_seed_differ(void **state)
{
    (void)state;
    bks_random a;
    bks_random b;
    bks_random_seed(&a, 7, 0);
    bks_random_seed(&b, 7, 1);
    uint32_t same = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        same += bks_random_next(&a) == bks_random_next(&b);
    }
    assert_true(same < 3);
}

static void every_number_below_the_bound_is_about_as_likely(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 3, 4);
    uint32_t counts[7] = {0};
    for (uint32_t i = 0; i < 70000; i++) {
        uint32_t number = bks_random_below(&random, 7);
        assert_true(number < 7);
        counts[number]++;
    }
    for (uint32_t i = 0; i < 7; i++) {
        assert_in_range(counts[i], 9500, 10500); // five sigma
    }
    // With a bound of 3 * 2^30 plain remainders would fall into the first third half of the time.
    uint32_t first_third = 0;
    for (uint32_t i = 0; i < 30000; i++) {
        first_third += bks_random_below(&random, 3u << 30) < 1u << 30;
    }
    assert_in_range(first_third, 9500, 10500);
}

static void odd_bounds_have_a_meaning(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 3, 4);
    assert_int_equal(bks_random_below(&random, 0), 0);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(bks_random_below(&random, 1), 0);
    }
    assert_int_equal(bks_random_between(&random, 5, 5), 5);
    assert_int_equal(bks_random_between(&random, 5, 4), 5);
    bool is_negative = false;
    bool is_positive = false;
    for (uint32_t i = 0; i < 64; i++) {
        int32_t number = bks_random_between(&random, INT32_MIN, INT32_MAX);
        is_negative |= number < 0;
        is_positive |= number > 0;
    }
    assert_true(is_negative && is_positive);
}

static void between_reaches_both_ends_and_nothing_beyond(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 9, 9);
    bool has_least = false;
    bool has_greatest = false;
    for (uint32_t i = 0; i < 1000; i++) {
        int32_t number = bks_random_between(&random, -3, 2);
        assert_true(number >= -3 && number <= 2);
        has_least |= number == -3;
        has_greatest |= number == 2;
    }
    assert_true(has_least && has_greatest);
}

static void an_unseeded_generator_still_moves(void **state)
{
    (void)state;
    bks_random random = {0};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 10; i++) {
        sum += bks_random_below(&random, 1000);
    }
    assert_true(sum > 0);
}

static void a_null_generator_is_logged(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_random_seed(NULL, 1, 2);
    assert_string_equal(log.id, "bks_random_seed");
    assert_int_equal(bks_random_next(NULL), 0);
    assert_int_equal(bks_random_below(NULL, 10), 0);
    assert_int_equal(bks_random_between(NULL, -7, 10), -7);
    bks_log_clear_sink();
    assert_int_equal(log.count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_those_of_the_reference),
        cmocka_unit_test(a_copied_generator_continues_alike),
        cmocka_unit_test(streams_of_one_seed_differ),
        cmocka_unit_test(every_number_below_the_bound_is_about_as_likely),
        cmocka_unit_test(odd_bounds_have_a_meaning),
        cmocka_unit_test(between_reaches_both_ends_and_nothing_beyond),
        cmocka_unit_test(an_unseeded_generator_still_moves),
        cmocka_unit_test(a_null_generator_is_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
