// SPDX-License-Identifier: MIT

#include "screen/window/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void calls_are_counted_and_enter_the_digest(void **state)
{
    (void)state;
    canvas_dry one = {0};
    canvas_dry two = {0};
    const bks_canvas a = canvas_dry_canvas(&one, 640, 480);
    const bks_canvas b = canvas_dry_canvas(&two, 640, 480);
    const float points[] = {1, 1, 5, 1, 3, 4};
    a.clear(a.context, 0x000000FF);
    a.rectangle(a.context, 1, 2, 3, 4, 0xFFFFFFFF);
    a.polygon(a.context, points, 3, 0xFFFFFFFF);
    a.line(a.context, 1, 2, 3, 4, 5, 0xFFFFFFFF);
    a.circle(a.context, 1, 2, 3, 0xFFFFFFFF);
    a.text(a.context, 1, 2, 20, 0xFFFFFFFF, "text");
    assert_int_equal(one.calls, 6);
    assert_int_equal(one.refused, 0);
    b.rectangle(b.context, 1, 2, 3, 5, 0xFFFFFFFF);
    assert_true(one.arguments != two.arguments);
}

static void an_undrawable_shape_is_reported(void **state)
{
    (void)state;
    canvas_dry dry = {0};
    const bks_canvas canvas = canvas_dry_canvas(&dry, 640, 480);
    const float points[] = {1, 1, 5, 1};
    canvas.circle(canvas.context, NAN, 2, 3, 0xFFFFFFFF);
    canvas.polygon(canvas.context, points, 2, 0xFFFFFFFF);
    assert_int_equal(dry.calls, 2);
    assert_int_equal(dry.refused, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted_and_enter_the_digest),
        cmocka_unit_test(an_undrawable_shape_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
