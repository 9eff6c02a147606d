// SPDX-License-Identifier: MIT

#include "base/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void without_values_there_is_no_mean_and_no_share(void **state)
{
    (void)state;
    samples none = {0};
    assert_float_equal(samples_mean(&none), 0, 0);
    assert_float_equal(samples_share(&none, 0.5), 0, 0);
    samples_free(&none);
}

static void shares_are_those_of_the_sorted_values(void **state)
{
    (void)state;
    samples s = {0};
    for (int i = 0; i < 1001; i++) {
        samples_add(&s, i * 5 % 1001);
    }
    assert_float_equal(samples_mean(&s), 500, 1e-9);
    assert_float_equal(samples_share(&s, 0), 0, 0);
    assert_float_equal(samples_share(&s, 0.25), 250, 0);
    assert_float_equal(samples_share(&s, 0.5), 500, 0);
    assert_float_equal(samples_share(&s, 1), 1000, 0);
    samples_add(&s, -1); // makes the next call sort again
    assert_float_equal(samples_share(&s, 0), -1, 0);
    samples_free(&s);
}

static void values_beyond_the_most_count_for_the_mean_alone(void **state)
{
    (void)state;
    samples s = {0};
    for (size_t i = 0; i < 2 * SAMPLES_MAX; i++) {
        samples_add(&s, i < SAMPLES_MAX ? 1 : 3);
    }
    assert_int_equal(s.count, SAMPLES_MAX);
    assert_float_equal(samples_mean(&s), 2, 1e-9);
    assert_float_equal(samples_share(&s, 1), 1, 0);
    samples_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_values_there_is_no_mean_and_no_share),
        cmocka_unit_test(shares_are_those_of_the_sorted_values),
        cmocka_unit_test(values_beyond_the_most_count_for_the_mean_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
