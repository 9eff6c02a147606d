// SPDX-License-Identifier: MIT

#include "screen/overlay/figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_written(float value, int digits_max, const char *expected)
{
    char text[32];
    figure_number(text, value, digits_max);
    assert_string_equal(text, expected);
}

static void large_numbers_have_fewer_digits(void **state)
{
    (void)state;
    assert_written(1.234F, 2, "1.23");
    assert_written(12.34F, 2, "12.3");
    assert_written(123.4F, 2, "123");
    assert_written(1.234F, 1, "1.2");
}

static void what_is_above_zero_does_not_look_like_it(void **state)
{
    (void)state;
    assert_written(0.01F, 2, "0.01");
    assert_written(0.01F, 1, "0.01");
    assert_written(0.004F, 2, "0.004");
    assert_written(0.004F, 1, "0.004");
    assert_written(-0.04F, 1, "-0.04");
    assert_written(0.12F, 1, "0.1");
}

static void what_rounds_to_zero_has_no_digits(void **state)
{
    (void)state;
    assert_written(0.0F, 2, "0");
    assert_written(0.0004F, 2, "0");
    assert_written(-0.0F, 1, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_numbers_have_fewer_digits),
        cmocka_unit_test(what_is_above_zero_does_not_look_like_it),
        cmocka_unit_test(what_rounds_to_zero_has_no_digits),
    };
    return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
