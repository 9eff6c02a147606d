// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/lobby/lobby_messages.h"

#define MS UINT64_C(1000000)

static void what_is_owed_goes_once(void **context)
{
    (void)context;
    session_outbox outbox = {0};
    bksi_outbox_begin(&outbox, 100 * MS);
    assert_true(bksi_outbox_wake(&outbox) == 120 * MS);
    bksi_outbox_owe_join(&outbox);
    bksi_outbox_owe_links(&outbox, 6);
    bksi_outbox_owe_rosters(&outbox, 4);
    assert_true(bksi_outbox_wake(&outbox) <= 100 * MS);
    assert_true(bksi_outbox_take_join(&outbox));
    assert_false(bksi_outbox_take_join(&outbox));
    assert_int_equal(bksi_outbox_peers(&outbox), 6);
    assert_true(bksi_outbox_take_roster(&outbox, 2, 100 * MS));
    assert_false(bksi_outbox_take_roster(&outbox, 2, 100 * MS));
    assert_true(bksi_outbox_take_link(&outbox, 1));
    assert_true(bksi_outbox_wake(&outbox) <= 100 * MS);
    assert_true(bksi_outbox_take_link(&outbox, 2));
    assert_false(bksi_outbox_take_link(&outbox, 2));
    assert_true(bksi_outbox_wake(&outbox) == 120 * MS);
}

static void a_roster_that_just_went_is_no_answer_owed(void **context)
{
    (void)context;
    session_outbox outbox = {0};
    bksi_outbox_owe_answer(&outbox, 2, 100 * MS);
    assert_true(bksi_outbox_take_roster(&outbox, 2, 100 * MS));
    bksi_outbox_owe_answer(&outbox, 2, 159 * MS);
    assert_false(bksi_outbox_take_roster(&outbox, 2, 159 * MS));
    bksi_outbox_owe_answer(&outbox, 1, 159 * MS);
    assert_true(bksi_outbox_take_roster(&outbox, 1, 159 * MS));
    bksi_outbox_owe_answer(&outbox, 2, 160 * MS);
    assert_true(bksi_outbox_take_roster(&outbox, 2, 160 * MS));
}

static void it_is_all_said_again_until_something_new_is(void **context)
{
    (void)context;
    session_outbox outbox = {0};
    assert_true(bksi_outbox_repeat(&outbox, 0));
    assert_false(bksi_outbox_repeat(&outbox, 20 * MS - 1));
    for (uint32_t i = 0; i < 20; i++) {
        (void)bksi_outbox_repeat(&outbox, (1000 + i * 300) * MS);
    }
    assert_true(bksi_outbox_wake(&outbox) == (1000 + 19 * 300 + 250) * MS);
    bksi_outbox_begin(&outbox, 8000 * MS);
    assert_true(bksi_outbox_wake(&outbox) == 8020 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_owed_goes_once),
        cmocka_unit_test(a_roster_that_just_went_is_no_answer_owed),
        cmocka_unit_test(it_is_all_said_again_until_something_new_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
