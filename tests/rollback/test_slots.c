// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rollback/slots.h"
#include "support/counting_allocator.h"

enum { WINDOW = 8 };

static const bks_allocator by_default;

static bksi_slots made(bks_save_policy policy)
{
    bksi_slots slots;
    assert_int_equal(bksi_slots_create(&slots, policy, WINDOW, &by_default), BKS_OK);
    return slots;
}

static void a_policy_has_its_number_of_slots(void **state)
{
    (void)state;
    static const struct {
        bks_save_policy policy;
        uint32_t slots;
    } all[] = {{BKS_SAVE_EVERY, WINDOW + 2},
               {BKS_SAVE_TWO, 2},
               {BKS_SAVE_ONE, 1},
               {BKS_SAVE_AUTO, WINDOW + 2}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bksi_slots slots = made(all[i].policy);
        assert_int_equal(slots.count, all[i].slots);
        assert_int_equal(bksi_slots_newest(&slots, 1000), -1);
        bksi_slots_destroy(&slots, &by_default);
        assert_int_equal(bksi_slots_create(&slots, all[i].policy, 0, &by_default), BKS_OK);
        assert_int_equal(slots.count, 0); // lockstep goes back nowhere
        assert_int_equal(bksi_slots_place(&slots, 5, 5, false), -1);
    }
}

static void the_newest_up_to_a_tick_is_found_in_whatever_order_they_were_saved(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_EVERY);
    bksi_slots_saved(&slots, 3, 20);
    bksi_slots_saved(&slots, 0, 10);
    bksi_slots_saved(&slots, 7, 15);
    assert_int_equal(bksi_slots_newest(&slots, 9), -1);
    assert_int_equal(bksi_slots_newest(&slots, 10), 0);
    assert_int_equal(bksi_slots_newest(&slots, 14), 0);
    assert_int_equal(bksi_slots_newest(&slots, 15), 7);
    assert_int_equal(bksi_slots_newest(&slots, 1000), 3);
    bksi_slots_saved(&slots, 3, 12); // the same slot for another tick
    assert_int_equal(bksi_slots_newest(&slots, 1000), 7);
    assert_int_equal(bksi_slots_newest(&slots, 14), 3);
    bksi_slots_saved(&slots, 7, BKS_TICK_NONE); // it could not be saved
    assert_int_equal(bksi_slots_newest(&slots, 1000), 3);
    bksi_slots_destroy(&slots, &by_default);
}

static void a_forgotten_tick_has_no_snapshot_and_its_neighbours_keep_theirs(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_EVERY);
    bksi_slots_saved(&slots, 0, 10);
    bksi_slots_saved(&slots, 1, 11);
    bksi_slots_forget(&slots, 12);
    assert_int_equal(bksi_slots_newest(&slots, 12), 1);
    bksi_slots_forget(&slots, 11);
    assert_int_equal(bksi_slots_newest(&slots, 12), 0);
    bksi_slots_destroy(&slots, &by_default);
}

static void later_snapshots_of_one_that_was_loaded_are_true_by_their_hash_alone(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_EVERY);
    for (uint32_t i = 0; i < 4; i++) {
        bksi_slots_saved(&slots, i, 10 + (bks_tick)i);
    }
    assert_int_equal(bksi_slots_surest(&slots, 10, 13), 3);
    bksi_slots_loaded(&slots, 1);
    assert_int_equal(bksi_slots_surest(&slots, 10, 13), 1);
    assert_int_equal(bksi_slots_surest(&slots, 12, 13), -1);
    bksi_slots_saved(&slots, 2, 12); // stepped again
    assert_int_equal(bksi_slots_surest(&slots, 10, 13), 2);
    assert_int_equal(bksi_slots_surest(&slots, 10, 11), 1);
    bksi_slots_destroy(&slots, &by_default);
}

static void every_tick_goes_into_a_free_slot_then_into_the_oldest(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_EVERY);
    for (bks_tick tick = 0; tick < WINDOW + 2; tick++) {
        assert_int_equal(bksi_slots_place(&slots, tick, tick, false), tick);
        bksi_slots_saved(&slots, (uint32_t)tick, tick);
        assert_int_equal(bksi_slots_place(&slots, tick, tick, false), -1); // it is there
    }
    assert_int_equal(bksi_slots_place(&slots, WINDOW + 2, WINDOW + 2, false), 0);
    bksi_slots_destroy(&slots, &by_default);
}

static void the_snapshot_that_a_rollback_may_need_is_never_overwritten(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_TWO);
    bksi_slots_saved(&slots, 0, 0);
    assert_int_equal(bksi_slots_place(&slots, WINDOW - 1, 0, false), -1); // too near to the last
    assert_int_equal(bksi_slots_place(&slots, WINDOW, 0, false), 1);
    bksi_slots_saved(&slots, 1, WINDOW);
    // No tick after tick 0 is certain, so its snapshot stays and the newer one is replaced.
    assert_int_equal(bksi_slots_place(&slots, 2 * WINDOW, 0, false), 1);
    assert_int_equal(bksi_slots_place(&slots, 2 * WINDOW, WINDOW, false), 0);
    bksi_slots_destroy(&slots, &by_default);
}

static void while_resimulating_the_first_snapshot_is_that_of_the_newest_certain_tick(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_TWO);
    bksi_slots_saved(&slots, 0, 0);
    assert_int_equal(bksi_slots_place(&slots, 2, 3, true), -1);
    assert_int_equal(bksi_slots_place(&slots, 3, 3, true), 1);
    assert_int_equal(bksi_slots_place(&slots, 4, 3, true), -1);
    bksi_slots_destroy(&slots, &by_default);
}

static void one_snapshot_moves_where_it_is_aimed(void **state)
{
    (void)state;
    bksi_slots slots = made(BKS_SAVE_ONE);
    assert_int_equal(bksi_slots_place(&slots, 0, 0, false), 0);
    bksi_slots_saved(&slots, 0, 0);
    assert_int_equal(bksi_slots_place(&slots, 5, 5, false), -1);
    bksi_slots_aim(&slots, 5);
    assert_int_equal(bksi_slots_place(&slots, 4, 5, false), -1);
    assert_int_equal(bksi_slots_place(&slots, 5, 5, false), 0);
    bksi_slots_destroy(&slots, &by_default);
}

static void a_limit_holds_for_auto_alone_and_leaves_two(void **state)
{
    (void)state;
    bksi_slots every = made(BKS_SAVE_EVERY);
    bksi_slots_limit(&every, 3);
    assert_int_equal(every.count, WINDOW + 2);
    bksi_slots_destroy(&every, &by_default);
    bksi_slots slots = made(BKS_SAVE_AUTO);
    bksi_slots_limit(&slots, WINDOW + 3);
    assert_int_equal(slots.count, WINDOW + 2);
    bksi_slots_limit(&slots, 5);
    assert_int_equal(slots.count, 5);
    bksi_slots_limit(&slots, 1);
    assert_int_equal(slots.count, 2);
    assert_int_equal(bksi_slots_needed(&slots, 1), WINDOW + 1);
    assert_int_equal(bksi_slots_needed(&slots, WINDOW), 2);
    assert_int_equal(bksi_slots_needed(&slots, 4), 3);
    bksi_slots_destroy(&slots, &by_default);
}

static void memory_that_is_missing_is_said_and_all_is_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    for (uint32_t after = 0; after < 3; after++) {
        counter.fail_after = after;
        bksi_slots slots;
        assert_int_equal(bksi_slots_create(&slots, BKS_SAVE_TWO, WINDOW, &allocator),
                         BKS_ERR_OUT_OF_MEMORY);
        bksi_slots_destroy(&slots, &allocator);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_has_its_number_of_slots),
        cmocka_unit_test(the_newest_up_to_a_tick_is_found_in_whatever_order_they_were_saved),
        cmocka_unit_test(a_forgotten_tick_has_no_snapshot_and_its_neighbours_keep_theirs),
        cmocka_unit_test(later_snapshots_of_one_that_was_loaded_are_true_by_their_hash_alone),
        cmocka_unit_test(every_tick_goes_into_a_free_slot_then_into_the_oldest),
        cmocka_unit_test(the_snapshot_that_a_rollback_may_need_is_never_overwritten),
        cmocka_unit_test(while_resimulating_the_first_snapshot_is_that_of_the_newest_certain_tick),
        cmocka_unit_test(one_snapshot_moves_where_it_is_aimed),
        cmocka_unit_test(a_limit_holds_for_auto_alone_and_leaves_two),
        cmocka_unit_test(memory_that_is_missing_is_said_and_all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
