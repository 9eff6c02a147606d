// SPDX-License-Identifier: MIT

// The page with a recording whose writer ends without closing it, in the middle of a record.

#include "page.h"

#include <string.h>

#include "web_recording.h"

static void what_came_is_played_and_how_it_ends_is_said(void **state)
{
    (void)state;
    web_append(0, web_count * 2 / 3);
    assert_int_equal(page_open(1), PAGE_OPENED);
    const int32_t end = web_number(PAGE_NUMBER_END);
    page_wish(PAGE_WISH_GO, end);
    web_arrive();
    web_pass(0.5);
    assert_true((web_number(PAGE_NUMBER_FLAGS) & PAGE_FLAG_WAITING) != 0);
    assert_true((web_number(PAGE_NUMBER_FLAGS) & PAGE_FLAG_ENDED) == 0);
    page_finish();
    web_pass(0.5);
    assert_int_equal(web_number(PAGE_NUMBER_END), end);
    assert_true((web_number(PAGE_NUMBER_FLAGS) & PAGE_FLAG_ENDED) != 0);
    assert_true((web_number(PAGE_NUMBER_FLAGS) & PAGE_FLAG_GROWING) == 0);
    assert_non_null(strstr(page_text(PAGE_SAID_ABOUT), "ends\tcut off; "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_is_played_and_how_it_ends_is_said),
    };
    return cmocka_run_group_tests(tests, web_record, web_forget);
}
