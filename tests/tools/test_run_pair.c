// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/run/run_pair.h"

static void expect_median(run_turns *turns, double all, double first, double second)
{
    assert_float_equal(samples_share(&turns->all, 0.5), all, 1e-9);
    assert_float_equal(samples_share(&turns->half[0], 0.5), first, 1e-9);
    assert_float_equal(samples_share(&turns->half[1], 0.5), second, 1e-9);
}

static void without_stretches_there_is_no_ratio(void **state)
{
    (void)state;
    run_turns turns = {0};
    expect_median(&turns, 0, 0, 0);
    run_turns_add(&turns, 0, 0, 100);
    run_turns_add(&turns, 1, 100, 0);
    expect_median(&turns, 0, 0, 0);
    run_turns_free(&turns);
}

static void stretches_that_were_held_up_do_not_move_the_median(void **state)
{
    (void)state;
    run_turns turns = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t held_up_ns = i % 5 == 0 ? 50000 : 0;
        run_turns_add(&turns, i % 2, 1000, 1100 + held_up_ns);
    }
    expect_median(&turns, 1.1, 1.1, 1.1);
    run_turns_free(&turns);
}

static void the_median_of_all_lies_between_those_of_the_halves(void **state)
{
    (void)state;
    run_turns turns = {0};
    for (uint64_t i = 0; i < 3; i++) {
        run_turns_add(&turns, 0, 100, 100 + 10 * i); // ratios 1.0 1.1 1.2
        run_turns_add(&turns, 1, 100, 130 + 10 * i); // ratios 1.3 1.4 1.5
    }
    expect_median(&turns, 1.3, 1.1, 1.4);
    run_turns_add(&turns, 0, 100, 100);
    expect_median(&turns, 1.2, 1.1, 1.4); // 1.0 1.0 1.1 | 1.2 | 1.3 1.4 1.5
    run_turns_free(&turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_stretches_there_is_no_ratio),
        cmocka_unit_test(stretches_that_were_held_up_do_not_move_the_median),
        cmocka_unit_test(the_median_of_all_lies_between_those_of_the_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
