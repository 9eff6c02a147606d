// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/repeat.h"

#define MS UINT64_C(1000000)

static void what_never_went_is_due(void **context)
{
    (void)context;
    bksi_repeat repeat = {0};
    assert_true(bksi_repeat_is_due(&repeat, 0));
    assert_true(bksi_repeat_is_due(&repeat, 7 * MS));
}

static void gaps_are_short_at_first_and_grow_to_a_quarter_of_a_second(void **context)
{
    (void)context;
    static const uint64_t gaps_us[] = {20000, 20000,  20000,  20000,  20000,  30000, 45000,
                                       67500, 101250, 151875, 227812, 250000, 250000};
    uint64_t now_ns = 3 * MS;
    bksi_repeat repeat = {0};
    bksi_repeat_begin(&repeat, now_ns);
    for (size_t i = 0; i < sizeof(gaps_us) / sizeof(gaps_us[0]); i++) {
        assert_false(bksi_repeat_is_due(&repeat, repeat.next_ns - 1));
        assert_int_equal((repeat.next_ns - now_ns) / 1000, gaps_us[i]);
        now_ns = repeat.next_ns;
        assert_true(bksi_repeat_is_due(&repeat, now_ns));
        bksi_repeat_went(&repeat, now_ns);
    }
}

static void something_new_begins_with_short_gaps_again(void **context)
{
    (void)context;
    bksi_repeat repeat = {0};
    for (uint64_t i = 0; i < 30; i++) {
        bksi_repeat_went(&repeat, i * 1000 * MS);
    }
    assert_int_equal(repeat.gap_ns, BKSI_REPEAT_GAP_MAX_NS);
    bksi_repeat_begin(&repeat, 40000 * MS);
    assert_int_equal(repeat.next_ns, 40020 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_never_went_is_due),
        cmocka_unit_test(gaps_are_short_at_first_and_grow_to_a_quarter_of_a_second),
        cmocka_unit_test(something_new_begins_with_short_gaps_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
