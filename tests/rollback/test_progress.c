// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rollback/progress.h"

enum { WINDOW = 4, CAPACITY = 16 };

static const bks_allocator by_default;

static bksi_progress progress;
static bksi_slots slots;
static bksi_settled settled;

static int begin(void **state)
{
    (void)state;
    progress = (bksi_progress){0};
    assert_int_equal(bksi_slots_create(&slots, BKS_SAVE_EVERY, WINDOW, &by_default), BKS_OK);
    assert_int_equal(bksi_settled_create(&settled, CAPACITY, &by_default), BKS_OK);
    bksi_settled_start(&settled, 1, 0, 0);
    bksi_progress_start(&progress);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bksi_slots_destroy(&slots, &by_default);
    bksi_settled_destroy(&settled, &by_default);
    return 0;
}

static bool step(void)
{
    return bksi_progress_stepped(&progress, &slots, &settled);
}

static void a_new_state_is_hashed_and_saved_once(void **state)
{
    (void)state;
    assert_true(progress.wants_hash && progress.wants_save);
    bksi_progress_hashed(&progress);
    bksi_progress_saved(&progress);
    assert_false(progress.wants_hash || progress.wants_save);
    assert_true(step());
    assert_int_equal(progress.at, 1);
    assert_int_equal(progress.front, 1);
    assert_true(progress.wants_hash && progress.wants_save);
    assert_int_equal(progress.load_until, BKS_TICK_NONE);
}

static void going_back_steps_to_the_present_again_and_is_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_true(step());
    }
    bksi_progress_go_back(&progress, 2);
    assert_int_equal(progress.load_until, 2);
    bksi_progress_loaded(&progress, 2);
    assert_int_equal(progress.load_until, BKS_TICK_NONE);
    assert_int_equal(progress.at, 2);
    for (int i = 0; i < 3; i++) {
        assert_true(progress.is_resimulating);
        assert_false(step());
    }
    assert_true(step());
    assert_false(progress.is_resimulating);
    assert_int_equal(progress.front, 6);
    bksi_progress_go_back(&progress, 5);
    const bksi_rollback_counts *counts = &progress.counts;
    assert_int_equal(counts->rollbacks, 2);
    assert_int_equal(counts->depth_sum, 3 + 1);
    assert_int_equal(counts->depth_max, 3);
    assert_int_equal(counts->resimulated, 3);
}

static void an_early_end_continues_from_the_newest_snapshot(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_true(step());
    }
    bksi_progress_go_back(&progress, 1);
    bksi_progress_loaded(&progress, 1);
    assert_false(step());
    bksi_progress_end_early(&progress, 5);
    assert_int_equal(progress.load_until, progress.front);
    assert_int_equal(progress.counts.early_ends, 1);
    assert_int_equal(progress.counts.early_end_ticks, 3); // 2 to 5
}

static void states_that_come_of_a_failure_are_neither_hashed_nor_kept(void **state)
{
    (void)state;
    bksi_slots_saved(&slots, 0, 0);
    bksi_slots_saved(&slots, 1, 2);
    (void)bksi_settled_keep(&settled, 2, 77);
    assert_true(step());
    bksi_progress_fail(&progress, 2);
    assert_false(bksi_progress_is_spoilt(&progress, 1));
    assert_true(progress.wants_hash);
    assert_true(step());
    assert_true(bksi_progress_is_spoilt(&progress, progress.at));
    assert_false(progress.wants_hash || progress.wants_save);
    assert_int_equal(bksi_slots_newest(&slots, 5), 0); // what was kept of tick 2 is not true
    assert_false(bksi_settled_keep(&settled, 2, 77));  // nor its hash
    assert_true(step());
    assert_false(progress.wants_hash || progress.wants_save);
    bksi_progress_loaded(&progress, 0);
    assert_false(bksi_progress_is_spoilt(&progress, 1000)); // the failure is undone
    assert_true(progress.wants_save);
}

static void a_load_of_a_spoilt_state_leaves_it_spoilt(void **state)
{
    (void)state;
    assert_true(step());
    assert_true(step());
    bksi_progress_fail(&progress, 1);
    bksi_progress_loaded(&progress, 1);
    assert_true(bksi_progress_is_spoilt(&progress, 1));
}

static void a_tick_stepped_again_without_a_hash_has_no_snapshot_of_before(void **state)
{
    (void)state;
    bksi_settled_start(&settled, 2, 0, 0); // only even ticks are hashed
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(step());
        bksi_slots_saved(&slots, i, progress.at);
    }
    bksi_progress_loaded(&progress, 0);
    assert_false(step());
    assert_int_equal(bksi_slots_newest(&slots, 1), -1); // nothing says that it is as before
    assert_false(step());
    assert_int_equal(bksi_slots_newest(&slots, 2), 1); // its hash will
}

#define WITH_PARTS(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PARTS(a_new_state_is_hashed_and_saved_once),
        WITH_PARTS(going_back_steps_to_the_present_again_and_is_counted),
        WITH_PARTS(an_early_end_continues_from_the_newest_snapshot),
        WITH_PARTS(states_that_come_of_a_failure_are_neither_hashed_nor_kept),
        WITH_PARTS(a_load_of_a_spoilt_state_leaves_it_spoilt),
        WITH_PARTS(a_tick_stepped_again_without_a_hash_has_no_snapshot_of_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
