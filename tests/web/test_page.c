// SPDX-License-Identifier: MIT

// The page with a recording that is there as a whole.

#include "page.h"

#include <string.h>

#include "backstitch/base.h"
#include "web_recording.h"

static int32_t flags(void)
{
    return web_number(PAGE_NUMBER_FLAGS);
}

static void bytes_that_end_too_early_can_be_followed_by_more(void **state)
{
    (void)state;
    web_append(0, 40);
    assert_int_equal(page_open(0), PAGE_TOO_FEW);
    assert_string_not_equal(page_text(PAGE_SAID_PROBLEM), "");
    web_append(40, web_count);
    assert_int_equal(page_open(0), PAGE_OPENED);
    assert_int_equal(web_number(PAGE_NUMBER_END), TICKS);
    assert_int_equal(web_number(PAGE_NUMBER_RATE), RATE_HZ);
    assert_int_equal(flags(), 0);
}

static void it_plays_to_the_end_and_compares_all_hashes(void **state)
{
    (void)state;
    page_wish(PAGE_WISH_SPEED, 6);
    web_pass(1.0);
    assert_int_equal(web_number(PAGE_NUMBER_TICK), TICKS);
    assert_int_equal(flags(), PAGE_FLAG_ENDED);
    assert_int_equal(web_number(PAGE_NUMBER_COMPARED), TICKS);
    assert_int_equal(web_number(PAGE_NUMBER_DIFFERENT), BKS_TICK_NONE);
    assert_non_null(strstr(page_text(PAGE_SAID_ABOUT), "ends\tclosed at the end of the match\n"));
}

static void a_recording_that_is_whole_has_no_live_place(void **state)
{
    (void)state;
    page_wish(PAGE_WISH_GO, 5);
    page_wish(PAGE_WISH_PAUSE, 1);
    web_pass(0.1);
    page_wish(PAGE_WISH_LIVE, 0);
    web_pass(0.1);
    assert_int_equal(web_number(PAGE_NUMBER_TICK), 5);
    assert_int_equal(flags(), PAGE_FLAG_PAUSED);
}

// The page takes the first line of a name, and what a recording names may be called "ends" too.
static void our_own_lines_come_before_those_of_the_recording(void **state)
{
    (void)state;
    const char *about = page_text(PAGE_SAID_ABOUT);
    assert_non_null(strstr(about, "\nseed\t7\nbytes\t"));
    assert_non_null(strstr(strstr(about, "\nends\t") + 1, "\nsystem\t"));
}

// Each comes before the picture that would show the one before.
static void wishes_between_two_pictures_add_up(void **state)
{
    (void)state;
    page_wish(PAGE_WISH_GO, 100);
    page_wish(PAGE_WISH_SKIP, 5);
    page_wish(PAGE_WISH_SKIP, 5);
    page_wish(PAGE_WISH_STEP, -1);
    page_wish(PAGE_WISH_STEP, -1);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), 100 + 2 * 5 * RATE_HZ - 2);
    assert_int_equal(flags(), PAGE_FLAG_PAUSED);
    page_wish(PAGE_WISH_SPEED, 0);
    for (int i = 0; i < 3; i++) {
        page_wish(PAGE_WISH_FASTER, 1);
    }
    assert_int_equal(web_number(PAGE_NUMBER_SPEED), 3);
    page_wish(PAGE_WISH_FASTER, INT32_MAX);
    assert_int_equal(web_number(PAGE_NUMBER_SPEED), 6);
    page_wish(PAGE_WISH_FASTER, INT32_MIN);
    assert_int_equal(web_number(PAGE_NUMBER_SPEED), -3);
    page_wish(PAGE_WISH_TOGGLE, 0);
    assert_int_equal(flags(), 0);
    page_wish(PAGE_WISH_TOGGLE, 0);
    page_wish(PAGE_WISH_TOGGLE, 0);
    page_wish(PAGE_WISH_TOGGLE, 0);
    assert_int_equal(flags(), PAGE_FLAG_PAUSED);
}

static void a_toggle_at_the_end_begins_anew_and_the_next_one_pauses(void **state)
{
    (void)state;
    page_wish(PAGE_WISH_SPEED, 0);
    page_wish(PAGE_WISH_GO, INT32_MAX);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), TICKS);
    page_wish(PAGE_WISH_TOGGLE, 0);
    web_arrive();
    assert_in_range(web_number(PAGE_NUMBER_TICK), 0, 2);
    assert_int_equal(flags(), 0);
    page_wish(PAGE_WISH_GO, INT32_MAX);
    web_arrive();
    page_wish(PAGE_WISH_TOGGLE, 0);
    page_wish(PAGE_WISH_TOGGLE, 0);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), 0);
    assert_int_equal(flags(), PAGE_FLAG_PAUSED);
}

static void what_is_wished_beyond_the_recording_is_its_edge(void **state)
{
    (void)state;
    page_wish(PAGE_WISH_GO, -5);
    page_wish(PAGE_WISH_SKIP, INT32_MIN / 60);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), 0);
    page_wish(PAGE_WISH_SKIP, INT32_MAX);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), TICKS);
    page_wish(PAGE_WISH_STEP, INT32_MIN);
    web_arrive();
    assert_int_equal(web_number(PAGE_NUMBER_TICK), 0);
    page_wish(99, 1);
    assert_int_equal(flags(), PAGE_FLAG_PAUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_end_too_early_can_be_followed_by_more),
        cmocka_unit_test(it_plays_to_the_end_and_compares_all_hashes),
        cmocka_unit_test(a_recording_that_is_whole_has_no_live_place),
        cmocka_unit_test(our_own_lines_come_before_those_of_the_recording),
        cmocka_unit_test(wishes_between_two_pictures_add_up),
        cmocka_unit_test(a_toggle_at_the_end_begins_anew_and_the_next_one_pauses),
        cmocka_unit_test(what_is_wished_beyond_the_recording_is_its_edge),
    };
    return cmocka_run_group_tests(tests, web_record, web_forget);
}
