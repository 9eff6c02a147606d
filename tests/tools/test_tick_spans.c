// SPDX-License-Identifier: MIT

#include "watch/watch_player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void ticks_in_any_order_count_once(void **state)
{
    (void)state;
    enum { TICKS = 60, TIMES = 4000 };
    bool was_there[TICKS] = {false};
    tick_spans set = {0};
    uint32_t random = 1;
    for (int i = 0; i < TIMES; i++) {
        random = random * 1664525u + 1013904223u;
        const bks_tick tick = (bks_tick)(random >> 16) % TICKS;
        assert_int_equal(tick_spans_add(&set, tick), !was_there[tick]);
        was_there[tick] = true;
        for (uint32_t k = 1; k < set.count; k++) {
            assert_true(set.spans[k - 1].end < set.spans[k].begin);
        }
    }
    assert_int_equal(set.count, 1);
    assert_int_equal(set.spans[0].begin, 0);
    assert_int_equal(set.spans[0].end, TICKS);
}

static void spans_beyond_the_room_are_not_counted(void **state)
{
    (void)state;
    tick_spans set = {0};
    for (bks_tick tick = 0; tick < 2 * TICK_SPANS_MAX; tick += 2) {
        assert_true(tick_spans_add(&set, tick));
    }
    assert_false(tick_spans_add(&set, 1000));
    assert_true(tick_spans_add(&set, 1)); // between two
    assert_true(tick_spans_add(&set, 1000));
    assert_true(tick_spans_add(&set, 1001));
    assert_int_equal(set.count, TICK_SPANS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_in_any_order_count_once),
        cmocka_unit_test(spans_beyond_the_room_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
