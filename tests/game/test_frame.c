// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "support/catch_log.h"
#include "support/says.h"

static void a_blend_is_exact_at_both_ends_and_even_between(void **state)
{
    (void)state;
    assert_float_equal(bks_blend(0.1f, 7.3f, 0.0f, 0.0f), 0.1f, 1e-6f);
    assert_true(bks_blend(0.1f, 7.3f, 1.0f, 0.0f) == 7.3f);
    assert_float_equal(bks_blend(-2.0f, 2.0f, 0.25f, 0.0f), -1.0f, 1e-6f);
    assert_true(bks_blend(5.0f, 5.0f, 0.3f, 1.0f) == 5.0f);
}

static void what_moves_too_far_is_drawn_where_it_is_now(void **state)
{
    (void)state;
    assert_true(bks_blend(0.0f, 11.0f, 0.5f, 10.0f) == 11.0f);
    assert_true(bks_blend(0.0f, -11.0f, 0.5f, 10.0f) == -11.0f);
    assert_true(bks_blend(0.0f, 10.0f, 0.5f, 10.0f) == 5.0f);
}

static void angles_go_the_shorter_way_round(void **state)
{
    (void)state;
    assert_float_equal(bks_blend_angle(350.0f, 10.0f, 0.5f, 360.0f), 0.0f, 1e-3f);
    assert_float_equal(bks_blend_angle(10.0f, 350.0f, 0.5f, 360.0f), 360.0f, 1e-3f);
    assert_float_equal(bks_blend_angle(90.0f, 180.0f, 0.5f, 360.0f), 135.0f, 1e-3f);
    assert_float_equal(bks_blend_angle(65000.0f, 500.0f, 1.0f, 65536.0f), 500.0f, 1e-3f);
    assert_float_equal(bks_blend_angle(0.0f, 730.0f, 0.5f, 360.0f), 725.0f, 1e-3f);
}

static void a_share_of_1_is_now_however_far_the_way(void **state)
{
    (void)state;
    assert_true(bks_blend(-3e38f, 3e38f, 1.0f, 0.0f) == 3e38f);
    assert_true(bks_blend(INFINITY, 2.0f, 1.0f, 0.0f) == 2.0f);
    assert_true(bks_blend(0.0f, INFINITY, 1.0f, 0.0f) == INFINITY);
    assert_true(bks_blend_angle(-3e38f, 3e38f, 1.0f, 360.0f) == 3e38f);
    assert_true(bks_blend_angle(INFINITY, 90.0f, 1.0f, 360.0f) == 90.0f);
}

static void a_turn_of_nothing_is_refused(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_true(bks_blend_angle(1.0f, 2.0f, 0.5f, 0.0f) == 2.0f);
    bks_log_clear_sink();
    assert_int_equal(log.count, 1);
    assert_says(log.text, "turn is 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blend_is_exact_at_both_ends_and_even_between),
        cmocka_unit_test(what_moves_too_far_is_drawn_where_it_is_now),
        cmocka_unit_test(angles_go_the_shorter_way_round),
        cmocka_unit_test(a_share_of_1_is_now_however_far_the_way),
        cmocka_unit_test(a_turn_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
