// SPDX-License-Identifier: MIT

// The page with a recording that is still written. A sanitizer sees that bytes which the replay
// borrows stay where they are until it is given others.

#include "page.h"

#include "backstitch/base.h"
#include "web_recording.h"

static void bytes_stay_while_more_come(void **state)
{
    (void)state;
    const size_t most = web_count * 4 / 5;
    web_append(0, most);
    assert_int_equal(page_open(1), PAGE_OPENED);
    assert_true((web_number(PAGE_NUMBER_FLAGS) & PAGE_FLAG_GROWING) != 0);
    const int32_t end = web_number(PAGE_NUMBER_END);
    assert_in_range(end, 600, TICKS - 1);
    // A part may take a while, and its room may be made several times: it plays meanwhile. What
    // is unpacked is not read again, so each place is another part of the file.
    const int32_t places[] = {3, end / 2, end};
    size_t at = most;
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(page_room((size_t)1 << (17 + 2 * i)));
        web_append(at, at + 7);
        at += 7;
        page_wish(PAGE_WISH_GO, places[i]);
        web_arrive();
        web_pass(0.2);
        assert_int_equal(web_number(PAGE_NUMBER_END), end);
    }
    page_refresh();
    while (at < web_count) {
        const size_t next = web_count - at > 500 ? at + 500 : web_count;
        web_append(at, next);
        web_pass(0.05);
        page_refresh();
        web_pass(0.05);
        at = next;
    }
    assert_int_equal(web_number(PAGE_NUMBER_END), TICKS);
    page_wish(PAGE_WISH_GO, 0);
    page_wish(PAGE_WISH_SPEED, 6);
    web_pass(2.0);
    assert_int_equal(web_number(PAGE_NUMBER_FLAGS), PAGE_FLAG_ENDED);
    assert_in_range(web_number(PAGE_NUMBER_COMPARED), 1, TICKS); // a seek passes over some
    assert_int_equal(web_number(PAGE_NUMBER_DIFFERENT), BKS_TICK_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_stay_while_more_come),
    };
    return cmocka_run_group_tests(tests, web_record, web_forget);
}
