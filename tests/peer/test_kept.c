// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peer/kept.h"

static bksi_kept kept;

static int clear(void **context)
{
    (void)context;
    bksi_kept_clear(&kept);
    return 0;
}

static void newest_state_of_a_range_is_found(void **context)
{
    (void)context;
    assert_int_equal(bksi_kept_newest(&kept, 0, 1000), BKS_SLOTS_MAX);
    bksi_kept_saved(&kept, 3, 40);
    bksi_kept_saved(&kept, 0, 20);
    bksi_kept_saved(&kept, 65, 60);
    assert_int_equal(bksi_kept_newest(&kept, 0, 1000), 65);
    assert_int_equal(bksi_kept_newest(&kept, 0, 59), 3);
    assert_int_equal(bksi_kept_newest(&kept, 20, 20), 0);
    assert_int_equal(bksi_kept_newest(&kept, 21, 39), BKS_SLOTS_MAX);
    bksi_kept_saved(&kept, 65, 30); // the slot is used again
    assert_int_equal(bksi_kept_newest(&kept, 0, 1000), 3);
}

static void going_back_spoils_what_was_kept_of_later_ticks(void **context)
{
    (void)context;
    bksi_kept_saved(&kept, 0, 20);
    bksi_kept_saved(&kept, 1, 40);
    bksi_kept_saved(&kept, 2, 10);
    bksi_kept_loaded(&kept, 0, 20);
    assert_int_equal(bksi_kept_newest(&kept, 0, 1000), 0);
    assert_int_equal(bksi_kept_newest(&kept, 0, 19), 2);
    bksi_kept_loaded(&kept, 1, 40); // which was found to be right after all
    assert_int_equal(bksi_kept_newest(&kept, 0, 1000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(newest_state_of_a_range_is_found, clear),
        cmocka_unit_test_setup(going_back_spoils_what_was_kept_of_later_ticks, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
