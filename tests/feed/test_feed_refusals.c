// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed/feed_refusals.h"

#define SECOND_NS UINT64_C(1000000000)

static void
one_that_asks_again_and_again_takes_no_turn_from_another_and_keeps_its_reason(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_FULL);
    bksi_feed_refusals_add(&refusals, 33, BKSI_FEED_VERSIONS);
    for (int i = 0; i < 100; i++) {
        bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_LEAVES);
    }
    assert_true(bksi_feed_refusals_next(&refusals, SECOND_NS, &next));
    assert_int_equal(next.reason, BKSI_FEED_FULL);
    assert_int_equal(next.channel, 17);
    bksi_feed_refusals_add(&refusals, 17, BKSI_FEED_FULL);
    assert_true(bksi_feed_refusals_next(&refusals, 2 * SECOND_NS, &next));
    assert_int_equal(next.channel, 33);
    assert_int_equal(next.reason, BKSI_FEED_VERSIONS);
    assert_true(bksi_feed_refusals_next(&refusals, 3 * SECOND_NS, &next));
    assert_false(bksi_feed_refusals_next(&refusals, 4 * SECOND_NS, &next));
}

static void refusals_are_20_a_second_and_as_many_as_channels_wait(void **state)
{
    (void)state;
    bksi_feed_refusals refusals = {0};
    bksi_feed_refusal next;
    for (bksi_channel i = 1; i < 100; i++) {
        bksi_feed_refusals_add(&refusals, i, BKSI_FEED_FULL);
    }
    assert_int_equal(refusals.count, BKSI_FEED_REFUSALS_MAX);
    uint32_t count = 0;
    for (uint64_t ms = 1000; ms < 2000; ms++) {
        count += bksi_feed_refusals_next(&refusals, ms * 1000000, &next);
    }
    assert_int_equal(count, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            one_that_asks_again_and_again_takes_no_turn_from_another_and_keeps_its_reason),
        cmocka_unit_test(refusals_are_20_a_second_and_as_many_as_channels_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
