// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "present/figure.h"

#define LAST (BKS_FIGURE_POINTS - 1)

static bks_figure figure;
static bksi_figure_sum sum;

static int set_up(void **state)
{
    (void)state;
    figure = (bks_figure){0};
    sum = (bksi_figure_sum){0};
    return 0;
}

static void a_point_has_least_mean_and_most_of_what_was_measured(void **state)
{
    (void)state;
    bksi_figure_add(&figure, &sum, 4.0, 1.0);
    bksi_figure_add(&figure, &sum, -2.0, 3.0);
    bksi_figure_add(&figure, &sum, 6.0, 1.0);
    assert_true(figure.now == 6.0f);
    bksi_figure_close(&figure, &sum, 1, 1);
    assert_true(figure.history[LAST].least == -2.0f);
    assert_true(figure.history[LAST].mean > 0.79f && figure.history[LAST].mean < 0.81f);
    assert_true(figure.history[LAST].most == 6.0f);
    assert_true(figure.history[LAST].weight == 5.0f);
}

static void the_window_is_the_newest_points_and_no_others(void **state)
{
    (void)state;
    for (int32_t i = 1; i <= 10; i++) {
        bksi_figure_add(&figure, &sum, i, 1.0);
        bksi_figure_close(&figure, &sum, 1, 3);
    }
    assert_true(figure.least == 8.0f && figure.mean == 9.0f && figure.most == 10.0f);
    assert_true(figure.history[LAST - 9].mean == 1.0f);
    assert_true(figure.history[LAST - 10].weight == 0.0f);
}

static void points_without_an_update_stay_empty_and_do_not_count(void **state)
{
    (void)state;
    bksi_figure_add(&figure, &sum, 8.0, 1.0);
    bksi_figure_close(&figure, &sum, 1, 20);
    bksi_figure_add(&figure, &sum, 2.0, 1.0);
    bksi_figure_close(&figure, &sum, 5, 20);
    assert_true(figure.history[LAST - 5].mean == 8.0f);
    assert_true(figure.history[LAST - 4].mean == 2.0f);
    for (uint32_t i = LAST - 3; i <= LAST; i++) {
        assert_true(figure.history[i].weight == 0.0f);
    }
    assert_true(figure.least == 2.0f && figure.mean == 5.0f && figure.most == 8.0f);
}

static void while_nothing_is_measured_the_newest_value_stands(void **state)
{
    (void)state;
    bksi_figure_add(&figure, &sum, 3.0, 1.0);
    bksi_figure_close(&figure, &sum, 1, 2);
    bksi_figure_close(&figure, &sum, 2, 2);
    assert_true(figure.least == 3.0f && figure.mean == 3.0f && figure.most == 3.0f);
}

static void a_gap_longer_than_the_history_empties_it(void **state)
{
    (void)state;
    bksi_figure_add(&figure, &sum, 3.0, 1.0);
    bksi_figure_close(&figure, &sum, 1, 10);
    bksi_figure_add(&figure, &sum, 4.0, 1.0);
    bksi_figure_close(&figure, &sum, UINT64_MAX, 10);
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        assert_true(figure.history[i].weight == 0.0f);
    }
    assert_true(figure.mean == 4.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_point_has_least_mean_and_most_of_what_was_measured, set_up),
        cmocka_unit_test_setup(the_window_is_the_newest_points_and_no_others, set_up),
        cmocka_unit_test_setup(points_without_an_update_stay_empty_and_do_not_count, set_up),
        cmocka_unit_test_setup(while_nothing_is_measured_the_newest_value_stands, set_up),
        cmocka_unit_test_setup(a_gap_longer_than_the_history_empties_it, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
