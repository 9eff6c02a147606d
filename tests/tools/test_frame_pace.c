// SPDX-License-Identifier: MIT

// When pictures are due.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen/window/frame_pace.h"

#define MS UINT64_C(1000000)

static void pictures_come_evenly_however_late_they_are_begun(void **state)
{
    (void)state;
    frame_pace pace = {0};
    assert_true(frame_pace_begin(&pace, 1000 * MS, 10 * MS));
    frame_pace_end(&pace, 1001 * MS);
    assert_false(frame_pace_begin(&pace, 1009 * MS, 10 * MS));
    assert_true(frame_pace_begin(&pace, 1013 * MS, 10 * MS));
    assert_int_equal(pace.due_ns, 1020 * MS);
    assert_true(frame_pace_begin(&pace, 1057 * MS, 10 * MS)); // some are left out
    assert_int_equal(pace.due_ns, 1067 * MS);
}

static void slow_drawing_gets_two_thirds_of_the_time(void **state)
{
    (void)state;
    frame_pace pace = {0};
    assert_true(frame_pace_begin(&pace, 1000 * MS, 10 * MS));
    frame_pace_end(&pace, 1020 * MS);
    assert_int_equal(pace.due_ns, 1030 * MS);
}

static void before_a_screen_that_is_waited_for_it_is_as_late_as_drawing_allows(void **state)
{
    (void)state;
    frame_pace pace = {0};
    assert_true(frame_pace_begin(&pace, 1000 * MS, 16 * MS));
    frame_pace_end(&pace, 1002 * MS);
    frame_pace_shown(&pace, 1010 * MS, 16 * MS);
    assert_int_equal(pace.due_ns, 1026 * MS - 4 * MS - FRAME_MARGIN_NS);
    // Presenting that does not wait is no endless run.
    assert_true(frame_pace_begin(&pace, pace.due_ns, 16 * MS));
    frame_pace_end(&pace, pace.begun_ns + 9 * MS);
    frame_pace_shown(&pace, pace.begun_ns + 9 * MS, 16 * MS);
    assert_true(pace.due_ns >= pace.begun_ns + 13 * MS);
}

static void a_screen_that_does_not_say_shows_sixty(void **state)
{
    (void)state;
    assert_int_equal(frame_pace_of_screen(0, 0), 1000000000 / 60);
    assert_int_equal(frame_pace_of_screen(0, 144), 1000000000 / 144);
    assert_int_equal(frame_pace_of_screen(30, 144), 1000000000 / 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_come_evenly_however_late_they_are_begun),
        cmocka_unit_test(slow_drawing_gets_two_thirds_of_the_time),
        cmocka_unit_test(before_a_screen_that_is_waited_for_it_is_as_late_as_drawing_allows),
        cmocka_unit_test(a_screen_that_does_not_say_shows_sixty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
