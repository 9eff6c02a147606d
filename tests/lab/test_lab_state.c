// SPDX-License-Identifier: MIT

#include "lab/lab_internal.h"
#include "some_lab.h"

/// Play a match of three peers for some seconds.
static bks_lab *play(const char *fault, uint64_t seconds)
{
    const bks_lab_config config = some_lab_config(3, 3, 1200);
    bks_lab *lab = some_lab(&config, "delay=10ms", fault);
    (void)bks_lab_advance(lab, seconds * SOME_SECOND_NS);
    return lab;
}

static void all_are_in_a_match_without_faults(void **state)
{
    (void)state;
    bks_lab *lab = play(NULL, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(bksi_lab_is_in(lab, i));
        assert_false(bksi_lab_is_gone(&lab->peers[i]));
        assert_false(bksi_lab_story_of(lab, i).has_ended);
    }
    bks_lab_destroy(lab);
}

static void a_peer_that_crashed_or_said_goodbye_is_out(void **state)
{
    (void)state;
    bks_lab *lab = play("crash=1@1s,leave=2@2s", 4);
    assert_true(bksi_lab_is_in(lab, 0));
    assert_false(bksi_lab_is_in(lab, 1));
    assert_false(bksi_lab_is_in(lab, 2));
    assert_true(lab->peers[1].is_crashed && bksi_lab_is_gone(&lab->peers[1]));
    assert_true(lab->peers[2].has_left && bksi_lab_is_gone(&lab->peers[2]));
    const bks_lab_story story = bksi_lab_story_of(lab, 1);
    assert_true(story.has_ended);
    assert_in_range(story.count, 1, 200);
    assert_ptr_equal(story.hashes, lab->peers[1].hashes);
    bks_lab_destroy(lab);
}

static void a_peer_that_was_dropped_is_out_before_it_knows(void **state)
{
    (void)state;
    bks_lab *lab = play("pause=2@1s+9s", 9); // peer 2 is still paused
    assert_false(lab->peers[2].is_out);
    assert_false(bksi_lab_is_in(lab, 2));
    assert_true(bksi_lab_is_in(lab, 0));
    assert_true(bksi_lab_is_in(lab, 1));
    assert_true(bksi_lab_story_of(lab, 0).roster.players > 0);
    bks_lab_destroy(lab);
}

static void a_peer_in_the_match_at_its_end_stays_in_it(void **state)
{
    (void)state;
    bks_lab *lab = play("crash=1@1s", 40);
    assert_true(lab->is_over);
    assert_true(bksi_lab_is_in(lab, 0));
    assert_false(bksi_lab_is_in(lab, 1));
    assert_true(bksi_lab_is_in(lab, 2));
    lab->peers[2].is_out = true; // later changes have no effect
    assert_true(bksi_lab_is_in(lab, 2));
    bks_lab_destroy(lab);
}

static void the_first_thing_that_broke_is_kept(void **state)
{
    (void)state;
    bks_lab *lab = play(NULL, 1);
    assert_string_equal(lab->invariant_error, "");
    bksi_lab_fail(lab, "peer %d stepped beyond its window", 1);
    bksi_lab_fail(lab, "another thing");
    assert_string_equal(lab->invariant_error, "peer 1 stepped beyond its window");
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_in_a_match_without_faults),
        cmocka_unit_test(a_peer_that_crashed_or_said_goodbye_is_out),
        cmocka_unit_test(a_peer_that_was_dropped_is_out_before_it_knows),
        cmocka_unit_test(a_peer_in_the_match_at_its_end_stays_in_it),
        cmocka_unit_test(the_first_thing_that_broke_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
