// SPDX-License-Identifier: MIT

// What the overlay says of a display that is slow, and of one that is not.

#include "screen/overlay/picture_meter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

// Two seconds of pictures, and of ticks at a rate.
static picture_rate run(uint64_t every_ms, uint64_t draw_ms, uint64_t show_ms, uint64_t tick_hz)
{
    picture_meter meter = {0};
    const frame_pace before = {.draw_ns = draw_ms * MS, .show_ns = show_ms * MS};
    for (uint64_t at_ms = 5000; at_ms <= 7000; at_ms += every_ms) {
        picture_meter_take(&meter, at_ms * MS, &before, (bks_tick)(at_ms * tick_hz / 1000));
    }
    return meter.rate;
}

static void a_display_that_keeps_up_says_what_drawing_takes(void **state)
{
    (void)state;
    char line[PICTURE_LINE_BYTES];
    const picture_rate rate = run(20, 4, 15, 60);
    picture_line(&rate, 50.0, line);
    assert_string_equal(line, "50 pictures/s: 4.0 ms to draw");
    picture_late_line(&rate, 60.0, line);
    assert_string_equal(line, "");
}

static void a_slow_display_says_what_takes_its_time(void **state)
{
    (void)state;
    char line[PICTURE_LINE_BYTES];
    const picture_rate rate = run(50, 31, 2, 60);
    picture_line(&rate, 60.0, line);
    assert_string_equal(line, "20 of 60 pictures/s: 31 ms to draw, 2.0 to show");
}

static void ticks_that_are_late_are_named(void **state)
{
    (void)state;
    char line[PICTURE_LINE_BYTES];
    const picture_rate rate = run(20, 4, 0, 40);
    picture_late_line(&rate, 60.0, line);
    assert_string_equal(line, "ticks are late: 40/s, not 60");
}

static void nothing_is_said_before_the_first_second(void **state)
{
    (void)state;
    char line[PICTURE_LINE_BYTES];
    const picture_rate rate = {0};
    picture_line(&rate, 60.0, line);
    assert_string_equal(line, "");
    picture_late_line(&rate, 60.0, line);
    assert_string_equal(line, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_display_that_keeps_up_says_what_drawing_takes),
        cmocka_unit_test(a_slow_display_says_what_takes_its_time),
        cmocka_unit_test(ticks_that_are_late_are_named),
        cmocka_unit_test(nothing_is_said_before_the_first_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
