// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "present/mixer_queues.h"

static bool put(bksi_cue_orders *orders, uint64_t serial)
{
    const bksi_cue_order order = {.serial = serial};
    return bksi_cue_orders_put(orders, &order);
}

static void expect(bksi_cue_orders *orders, uint64_t serial)
{
    bksi_cue_order order;
    assert_true(bksi_cue_orders_take(orders, &order));
    assert_int_equal(order.serial, serial);
}

static void orders_are_taken_in_order_and_once(void **state)
{
    (void)state;
    static bksi_cue_orders orders;
    bksi_cue_order none;
    assert_false(bksi_cue_orders_take(&orders, &none));
    // Go round the queue often, so that its places are reused.
    for (uint64_t serial = 1; serial < 3 * BKSI_CUE_ORDERS; serial += 2) {
        assert_true(put(&orders, serial));
        assert_true(put(&orders, serial + 1));
        expect(&orders, serial);
        expect(&orders, serial + 1);
        assert_false(bksi_cue_orders_take(&orders, &none));
    }
}

static void what_finds_no_room_is_refused_and_breaks_nothing(void **state)
{
    (void)state;
    static bksi_cue_orders orders;
    const uint64_t most = BKSI_CUE_ORDERS - BKSI_CUE_ORDERS_CANCEL;
    for (uint64_t serial = 0; serial < most; serial++) {
        assert_true(put(&orders, serial));
    }
    assert_false(put(&orders, 9999));
    expect(&orders, 0);
    assert_true(put(&orders, 1000));
    for (uint64_t serial = 1; serial < most; serial++) {
        expect(&orders, serial);
    }
    expect(&orders, 1000);
}

static void a_cancel_finds_room_where_others_do_not(void **state)
{
    (void)state;
    static bksi_cue_orders orders;
    uint32_t count = 0;
    while (put(&orders, 1)) {
        count++;
    }
    const bksi_cue_order cancel = {.kind = BKS_CUE_CANCELLED, .serial = 2};
    while (bksi_cue_orders_put(&orders, &cancel)) {
        count++;
    }
    assert_int_equal(count, BKSI_CUE_ORDERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_taken_in_order_and_once),
        cmocka_unit_test(what_finds_no_room_is_refused_and_breaks_nothing),
        cmocka_unit_test(a_cancel_finds_room_where_others_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
