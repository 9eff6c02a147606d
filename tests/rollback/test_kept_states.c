// SPDX-License-Identifier: MIT

#include "rollback/kept_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LENGTH = 8, SLOTS = LENGTH + BKSI_KEPT_STATES_PINS };

static const bks_allocator by_default;

static bksi_kept_states kept;
static bks_tick held[SLOTS]; ///< tick of the state in each slot

static void begin(bks_tick every)
{
    assert_int_equal(bksi_kept_states_create(&kept, LENGTH, &by_default), BKS_OK);
    bksi_kept_states_start(&kept, every, true);
    for (uint32_t i = 0; i < SLOTS; i++) {
        held[i] = BKS_TICK_NONE;
    }
}

static int end(void **state)
{
    (void)state;
    bksi_kept_states_destroy(&kept, &by_default);
    return 0;
}

static void keep(bks_tick tick)
{
    const uint32_t slot = bksi_kept_states_place(&kept, tick);
    assert_in_range(slot, 0, SLOTS - 1);
    held[slot] = tick;
}

static void assert_kept(bks_tick tick)
{
    const uint32_t slot = bksi_kept_states_find(&kept, tick);
    assert_int_not_equal(slot, BKS_KEEP_NONE);
    assert_int_equal(held[slot], tick);
}

static void assert_gone(bks_tick tick)
{
    assert_int_equal(bksi_kept_states_find(&kept, tick), BKS_KEEP_NONE);
}

static void the_newest_ticks_are_kept(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 100; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick - 3);
        for (bks_tick t = tick < LENGTH ? 0 : tick - LENGTH + 1; t <= tick; t++) {
            assert_kept(t);
        }
    }
    assert_int_equal(bksi_kept_states_lost(&kept), 0);
    assert_gone(100);
    assert_gone(50);
    assert_gone(-1);
}

static void a_tick_that_is_stepped_again_has_its_slot(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 7; tick++) {
        keep(tick);
    }
    const uint32_t slot = bksi_kept_states_find(&kept, 5);
    assert_int_equal(bksi_kept_states_place(&kept, 5), slot);
    assert_kept(6);
}

static void the_newest_that_all_agreed_on_stays_and_what_goes_unagreed_is_counted(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 40; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick < 12 ? tick : 12);
    }
    assert_kept(12);
    for (bks_tick tick = 40 - LENGTH; tick < 40; tick++) {
        assert_kept(tick);
    }
    assert_gone(13);
    assert_int_equal(bksi_kept_states_lost(&kept), 40 - LENGTH - 13);
    bksi_kept_states_agree(&kept, 35);
    for (bks_tick tick = 40; tick < 60; tick++) {
        keep(tick);
    }
    assert_kept(35);
    assert_gone(12);
}

static void the_one_that_is_looked_at_stays(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 40; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick);
        if (tick == 20) {
            bksi_kept_states_look_at(&kept, 17);
        }
    }
    assert_kept(17);
    bksi_kept_states_look_at(&kept, 38);
    for (bks_tick tick = 40; tick < 60; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick);
    }
    for (bks_tick tick = 60 - LENGTH; tick < 60; tick++) {
        assert_kept(tick);
    }
    assert_kept(38);
    assert_gone(17);
}

static void one_that_is_looked_at_stays_though_all_agree_on_a_later_one(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 40; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick < 12 ? tick : 12);
    }
    bksi_kept_states_look_at(&kept, 12); // which has left the ring
    assert_kept(12);
    bksi_kept_states_agree(&kept, 35);
    for (bks_tick tick = 40; tick < 60; tick++) {
        keep(tick);
        assert_kept(12);
    }
    assert_kept(35);
}

static void the_last_tick_has_a_place_of_its_own(void **state)
{
    (void)state;
    begin(10);
    for (bks_tick tick = 0; tick <= 70; tick += 10) {
        keep(tick);
    }
    keep(77);
    assert_kept(70);
    assert_kept(77);
    assert_kept(10);
    assert_gone(0);
}

static void what_does_not_fit_is_not_there_and_counted(void **state)
{
    (void)state;
    begin(1);
    keep(0);
    bksi_kept_states_agree(&kept, 0);
    keep(1);
    bksi_kept_states_failed(&kept, 1);
    assert_gone(1);
    assert_int_equal(bksi_kept_states_lost(&kept), 1);
    assert_kept(0);
}

static void a_guess_that_does_not_fit_is_not_lost_when_the_final_state_does(void **state)
{
    (void)state;
    begin(1);
    keep(0);
    keep(1);
    bksi_kept_states_failed(&kept, 1);
    keep(1);
    assert_kept(1);
    assert_int_equal(bksi_kept_states_lost(&kept), 0);
}

static void each_tick_that_is_lost_counts_once(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 100; tick++) {
        keep(tick);
        if (tick == 50) {
            bksi_kept_states_failed(&kept, tick);
        }
        if (tick % 10 == 9) { // stepped again, from ticks on that have left the ring
            for (bks_tick again = tick - LENGTH - 2 < 0 ? 0 : tick - LENGTH - 2; again <= tick;
                 again++) {
                keep(again);
                if (again == 50) {
                    bksi_kept_states_failed(&kept, again);
                }
            }
        }
    }
    assert_int_equal(bksi_kept_states_lost(&kept), 100 - LENGTH);
}

static void the_oldest_is_found(void **state)
{
    (void)state;
    begin(1);
    for (bks_tick tick = 0; tick < 40; tick++) {
        keep(tick);
        bksi_kept_states_agree(&kept, tick < 12 ? tick : 12);
    }
    assert_int_equal(bksi_kept_states_oldest(&kept, 0, 39), 12);
    assert_int_equal(bksi_kept_states_oldest(&kept, 13, 39), 40 - LENGTH);
    assert_int_equal(bksi_kept_states_oldest(&kept, 36, 39), 36);
    assert_int_equal(bksi_kept_states_oldest(&kept, 13, 20), BKS_TICK_NONE);
}

static void nothing_is_kept_without_room_or_others(void **state)
{
    (void)state;
    begin(1);
    bksi_kept_states_start(&kept, 1, false);
    assert_int_equal(bksi_kept_states_place(&kept, 0), BKS_KEEP_NONE);
    assert_gone(0);
    bksi_kept_states_destroy(&kept, &by_default);
    assert_int_equal(bksi_kept_states_create(&kept, 0, &by_default), BKS_OK);
    bksi_kept_states_start(&kept, 1, true);
    assert_int_equal(bksi_kept_states_slots(&kept), 0);
    assert_int_equal(bksi_kept_states_place(&kept, 0), BKS_KEEP_NONE);
    assert_int_equal(bksi_kept_states_oldest(&kept, 0, 100), BKS_TICK_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_newest_ticks_are_kept, end),
        cmocka_unit_test_teardown(a_tick_that_is_stepped_again_has_its_slot, end),
        cmocka_unit_test_teardown(
            the_newest_that_all_agreed_on_stays_and_what_goes_unagreed_is_counted, end),
        cmocka_unit_test_teardown(the_one_that_is_looked_at_stays, end),
        cmocka_unit_test_teardown(one_that_is_looked_at_stays_though_all_agree_on_a_later_one, end),
        cmocka_unit_test_teardown(the_last_tick_has_a_place_of_its_own, end),
        cmocka_unit_test_teardown(what_does_not_fit_is_not_there_and_counted, end),
        cmocka_unit_test_teardown(a_guess_that_does_not_fit_is_not_lost_when_the_final_state_does,
                                  end),
        cmocka_unit_test_teardown(each_tick_that_is_lost_counts_once, end),
        cmocka_unit_test_teardown(the_oldest_is_found, end),
        cmocka_unit_test_teardown(nothing_is_kept_without_room_or_others, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
