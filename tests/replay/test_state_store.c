// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/play/state_store.h"

static bksi_state_store store;
static const bks_allocator none;

static int begin(void **state)
{
    (void)state;
    return bksi_state_store_create(&store, 1000, 64, &none) == BKS_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    bksi_state_store_destroy(&store, &none);
    return 0;
}

/// Keep a state whose bytes hold its tick.
static bool keep(bks_tick tick, size_t bytes)
{
    uint8_t *room = bksi_state_store_room(&store, tick, bytes);
    if (room == NULL) {
        return false;
    }
    memset(room, tick, bytes);
    bksi_state_store_added(&store, tick, bytes);
    return true;
}

static void assert_all_true(void)
{
    for (size_t i = 0; i < store.count; i++) {
        const bksi_stored_state *one = &store.states[i];
        assert_true(i == 0 || one->tick > store.states[i - 1].tick);
        assert_true(one->offset + one->bytes <= store.used_bytes);
        for (size_t b = 0; b < one->bytes; b++) {
            assert_int_equal(store.block[one->offset + b], (uint8_t)one->tick);
        }
    }
    assert_true(store.used_bytes <= 1000);
}

static void nearest_state_before_a_tick_is_found(void **state)
{
    (void)state;
    assert_null(bksi_state_store_find(&store, 100));
    assert_true(keep(64, 10));
    assert_true(keep(192, 20));
    assert_true(keep(128, 30)); // in between, later
    assert_null(bksi_state_store_find(&store, 63));
    assert_int_equal(bksi_state_store_find(&store, 64)->tick, 64);
    assert_int_equal(bksi_state_store_find(&store, 191)->tick, 128);
    assert_int_equal(bksi_state_store_find(&store, INT32_MAX)->tick, 192);
    assert_false(keep(128, 30)); // it is there
    assert_all_true();
}

static void full_store_keeps_every_other_one(void **state)
{
    (void)state;
    for (bks_tick tick = 0; tick < 100; tick++) {
        if (tick * 64 % store.spacing_ticks == 0) {
            assert_true(keep(tick * 64, 90 + (size_t)tick % 7));
        }
        assert_all_true();
        assert_int_equal(bksi_state_store_find(&store, 0)->tick, 0);
        assert_true(tick * 64 - bksi_state_store_find(&store, tick * 64)->tick <
                    store.spacing_ticks);
    }
    assert_in_range(store.count, 5, 11);
    assert_int_equal(store.spacing_ticks, 1024);
}

static void states_off_the_spacing_go_first(void **state)
{
    (void)state;
    for (bks_tick tick = 0; tick < 4; tick++) {
        assert_true(keep(tick * 64, 100));
    }
    for (bks_tick tick = 100; tick < 106; tick++) {
        assert_true(keep(tick, 100));
    }
    assert_int_equal(store.count, 10);
    assert_true(keep(256, 100));
    assert_all_true();
    assert_int_equal(store.count, 5);
    assert_int_equal(store.spacing_ticks, 64);
    assert_int_equal(bksi_state_store_find(&store, 105)->tick, 64);
}

static void state_larger_than_all_is_not_kept(void **state)
{
    (void)state;
    assert_true(keep(64, 1000));
    assert_false(keep(128, 1001));
    assert_true(keep(128, 1000)); // the other one went for it
    assert_int_equal(store.count, 1);
    assert_all_true();
}

static void many_small_states_stay_within_the_count(void **state)
{
    (void)state;
    bksi_state_store large;
    assert_int_equal(bksi_state_store_create(&large, 3 * BKSI_STORE_STATES_MAX, 64, &none), BKS_OK);
    for (bks_tick tick = 0; tick < 2 * (bks_tick)BKSI_STORE_STATES_MAX; tick++) {
        assert_non_null(bksi_state_store_room(&large, tick, 1));
        bksi_state_store_added(&large, tick, 1);
        assert_true(large.count <= BKSI_STORE_STATES_MAX);
    }
    assert_in_range(large.count, 2, BKSI_STORE_STATES_MAX);
    bksi_state_store_destroy(&large, &none);
}

static void without_memory_nothing_is_kept(void **state)
{
    (void)state;
    bksi_state_store empty;
    assert_int_equal(bksi_state_store_create(&empty, 0, 64, &none), BKS_OK);
    assert_null(empty.block);
    assert_null(bksi_state_store_find(&empty, 5));
    bksi_state_store_destroy(&empty, &none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nearest_state_before_a_tick_is_found, begin, end),
        cmocka_unit_test_setup_teardown(full_store_keeps_every_other_one, begin, end),
        cmocka_unit_test_setup_teardown(states_off_the_spacing_go_first, begin, end),
        cmocka_unit_test_setup_teardown(state_larger_than_all_is_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(many_small_states_stay_within_the_count, begin, end),
        cmocka_unit_test(without_memory_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
