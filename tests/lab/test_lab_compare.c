// SPDX-License-Identifier: MIT

#include "some_lab.h"

#include "lab/lab_internal.h"
#include "session/session_internal.h"

#define GOOD_LINK "delay=40ms"

enum { TICKS = 100 };

static uint64_t rows[4][TICKS + 1];

/// Make four peers with the same hashes and the same view.
static void some_stories(bks_lab_story stories[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        for (uint64_t tick = 0; tick <= TICKS; tick++) {
            rows[i][tick] = tick * 1000;
        }
        stories[i] = (bks_lab_story){.hashes = rows[i], .chains = rows[i], .count = TICKS + 1};
        stories[i].roster.peers = 4;
        for (uint32_t k = 0; k < 4; k++) {
            stories[i].roster.is_in[k] = true;
        }
    }
}

static void leaves(bks_lab_story *story, uint32_t peer, bks_tick end)
{
    story->roster.is_in[peer] = false;
    story->roster.end[peer] = end;
}

static void peers_of_one_view_must_have_all_alike(void **state)
{
    (void)state;
    bks_lab_story stories[4];
    some_stories(stories);
    bks_lab_comparison found = bksi_lab_compare_stories(stories, 4, TICKS);
    assert_int_equal(found.compared, TICKS);
    assert_int_equal(found.desync_tick, BKS_TICK_NONE);
    assert_int_equal(found.inputs_tick, BKS_TICK_NONE);
    rows[2][TICKS] = 1; // the last hash
    found = bksi_lab_compare_stories(stories, 4, TICKS);
    assert_int_equal(found.desync_tick, TICKS);
    assert_int_equal(found.inputs_tick, TICKS);
    assert_int_equal(found.desync_peers, 1u << 2);
    stories[3].count = 50;
    assert_int_equal(bksi_lab_compare_stories(stories, 4, TICKS).compared, 49);
    stories[3].has_ended = true;
    assert_int_equal(bksi_lab_compare_stories(stories, 4, TICKS).compared, TICKS);
}

static void views_that_part_agree_up_to_the_first_end_that_differs(void **state)
{
    (void)state;
    bks_lab_story stories[4];
    some_stories(stories);
    assert_int_equal(bksi_lab_same_until(&stories[0].roster, &stories[2].roster), INT32_MAX);
    for (uint32_t i = 0; i < 2; i++) { // peers 0 and 1 on one side, 2 and 3 on the other
        leaves(&stories[i], 2, 60);
        leaves(&stories[i], 3, 40);
        leaves(&stories[2 + i], 0, 50);
        leaves(&stories[2 + i], 1, 45);
    }
    assert_int_equal(bksi_lab_same_until(&stories[0].roster, &stories[1].roster), INT32_MAX);
    assert_int_equal(bksi_lab_same_until(&stories[0].roster, &stories[2].roster), 40);
    for (bks_tick tick = 41; tick <= TICKS; tick++) {
        rows[2][tick] = rows[3][tick] = 7;
    }
    assert_int_equal(bksi_lab_compare_stories(stories, 4, TICKS).desync_tick, BKS_TICK_NONE);
    rows[3][80] = 8; // within one side
    bks_lab_comparison found = bksi_lab_compare_stories(stories, 4, TICKS);
    assert_int_equal(found.desync_tick, 80);
    assert_int_equal(found.desync_peers, 1u << 3);
    rows[2][40] = rows[3][40] = 7; // between the sides, where both must have the same
    found = bksi_lab_compare_stories(stories, 4, TICKS);
    assert_int_equal(found.desync_tick, 40);
    assert_int_equal(found.desync_peers, 3u << 2);
}

static void a_peer_that_left_at_one_tick_in_both_views_parts_no_one(void **state)
{
    (void)state;
    bks_lab_story stories[4];
    some_stories(stories);
    leaves(&stories[0], 3, 30);
    leaves(&stories[1], 3, 30);
    leaves(&stories[2], 3, 31);
    assert_int_equal(bksi_lab_same_until(&stories[0].roster, &stories[1].roster), INT32_MAX);
    assert_int_equal(bksi_lab_same_until(&stories[1].roster, &stories[2].roster), 30);
    assert_int_equal(bksi_lab_same_until(&stories[0].roster, &stories[3].roster), 30);
}

static bks_lab_result result_of(const bks_lab *lab)
{
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    return result;
}

/// Run until a peer has left the view of another one.
static void run_to_view(bks_lab *lab, uint32_t peer)
{
    while (lab->peers[peer].session->common.membership.view == 0) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 100));
    }
}

static void both_sides_of_a_split_play_to_the_end_each_compared_on_its_own(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 4, 900);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "split=0.1/2.3@3s+100s");
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result = result_of(lab);
    assert_agreed(&result, 900);
    assert_true(some_moment(&result, "split") > 0);
    assert_int_equal(some_moment(&result, "reunion"), 0);
    assert_true(lab->peers[0].hashes[900] == lab->peers[1].hashes[900]);
    assert_true(lab->peers[2].hashes[900] == lab->peers[3].hashes[900]);
    assert_true(lab->peers[0].hashes[900] != lab->peers[2].hashes[900]);
    assert_int_equal(result.side_count, 2);
    assert_int_equal(result.sides[0], 1u << 0 | 1u << 1);
    assert_int_equal(result.sides[1], 1u << 2 | 1u << 3);
    lab->peers[3].hashes[800] ^= 1;
    result = result_of(lab);
    assert_false(result.agreed);
    assert_int_equal(result.desync_tick, 800);
    assert_int_equal(result.desync_peers, 1u << 3);
    lab->peers[2].hashes[150] ^= 1; // before the split
    result = result_of(lab);
    assert_int_equal(result.desync_tick, 150);
    assert_int_equal(result.desync_peers, 1u << 2);
    bks_lab_destroy(lab);
}

/// Peers that crashed, left or gave way belong to no side, and a side without peers is none.
static void only_sides_that_still_play_are_listed(void **state)
{
    (void)state;
    static const struct {
        const char *faults;
        uint32_t count;
        uint32_t first, second; ///< peers of both sides, as bits
    } cases[] = {
        {"split=0.1/2.3.4@3s+100s,crash=4@10s", 2, 0x03, 0x0c},
        {"split=0.1/2.3.4@3s+100s,leave=1@10s", 2, 0x01, 0x1c},
        {"split=0.1/2.3.4@3s+100s,crash=0@10s,crash=1@10s", 1, 0x1c, 0},
        {"split=0.1/2.3.4@3s+7s", 1, 0x1c, 0},
        {"split=0.1/2.3.4@3s+1s", 1, 0x1f, 0},
        {"split=0/1.2/3.4@3s+100s", 3, 0x01, 0x06},
        {"crash=2@3s", 1, 0x1b, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bks_lab_config config = some_lab_config(1, 5, 1200);
        const bks_lab_result result = some_match(&config, GOOD_LINK, cases[i].faults);
        assert_agreed(&result, 1200);
        assert_int_equal(result.side_count, cases[i].count);
        assert_int_equal(result.sides[0], cases[i].first);
        assert_int_equal(result.sides[1], cases[i].second);
    }
}

static void sides_that_meet_again_are_a_reunion(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 5, 900);
    bks_lab_result result = some_match(&config, GOOD_LINK, "split=0.1/2.3.4@3s+7s");
    assert_agreed(&result, 900);
    assert_true(some_moment(&result, "split") > 0);
    assert_int_equal(some_moment(&result, "reunion"), 2);
    assert_int_equal(some_moment(&result, "dropped"), 2);
    // A peer that was dropped and played nothing until it learnt of that is no side.
    config = some_lab_config(1, 3, 900);
    result = some_match(&config, GOOD_LINK, "pause=1@3s+7s");
    assert_agreed(&result, 900);
    assert_int_equal(some_moment(&result, "split"), 0);
    assert_int_equal(some_moment(&result, "reunion"), 0);
    assert_int_equal(some_moment(&result, "dropped"), 1);
}

static void views_after_the_other_side_is_gone_are_no_splits(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 5, 1200);
    bks_lab_result result = some_match(&config, GOOD_LINK, "split=0.1/2.3.4@3s+7s");
    const uint64_t splits = some_moment(&result, "split");
    config = some_lab_config(1, 5, 1200);
    result = some_match(&config, GOOD_LINK,
                        "split=0.1/2.3.4@3s+7s,crash=4@13s"); // the sides have met again
    assert_int_equal(result.peers[2].stats.views, 2);
    assert_true(some_moment(&result, "split") == splits);
    config = some_lab_config(1, 5, 1200);
    result =
        some_match(&config, GOOD_LINK, "split=0.1/2.3.4@3s+60s,crash=0@9s,crash=1@9s,crash=4@11s");
    assert_true(some_moment(&result, "split") == splits);
}

static void a_crashed_peer_is_compared_up_to_its_end(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "crash=2@3s");
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result = result_of(lab);
    assert_agreed(&result, 600);
    lab->peers[2].hashes[100] ^= 1;
    result = result_of(lab);
    assert_int_equal(result.desync_tick, 100);
    assert_int_equal(result.desync_peers, 1u << 2);
    bks_lab_destroy(lab);
}

static void a_leaver_is_not_waited_for_and_compared_up_to_its_end(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "leave=0@3s"); // the host leaves
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result = result_of(lab);
    assert_agreed(&result, 600);
    assert_true(lab->peers[0].has_left);
    assert_int_equal(some_moment(&result, "handover"), 1);
    assert_true(result.match_ns < 12 * SOME_SECOND_NS); // the host said goodbye: no peer waits 5 s
    lab->peers[0].hashes[100] ^= 1;
    result = result_of(lab);
    assert_int_equal(result.desync_tick, 100);
    bks_lab_destroy(lab);
}

static void a_dropped_peer_that_does_not_know_is_not_waited_for(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "pause=1@3s+60s");
    run_to_view(lab, 0);
    assert_true(bksi_lab_is_in(lab, 0) && bksi_lab_is_in(lab, 2));
    assert_false(bksi_lab_is_in(lab, 1));
    assert_false(lab->peers[1].is_out);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    const bks_lab_result result = result_of(lab);
    assert_agreed(&result, 600);
    assert_true(result.match_ns < 20 * SOME_SECOND_NS);
    bks_lab_destroy(lab);
}

static void events_after_the_end_change_nothing(void **state)
{
    (void)state;
    // Peer 0 plays to the end alone, then crashes; only then peer 1 wakes up.
    const bks_lab_config config = some_lab_config(1, 2, 60);
    const bks_lab_result result = some_match(&config, NULL, "pause=1@0s+8800ms,crash=0@9200ms");
    assert_agreed(&result, 60);
}

static void a_match_without_peers_left_did_not_agree(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    const bks_lab_result result = some_match(&config, NULL, "crash=0@1s,crash=1@2s");
    assert_false(result.agreed);
    assert_int_equal(result.compared, 0);
    assert_string_equal(result.reason, "no peer is left in the match");
}

static void crashes_say_whom_they_befell_and_with_whom(void **state)
{
    (void)state;
    static const struct {
        const char *faults;
        uint64_t host;
        uint64_t twin;
    } cases[] = {
        {"crash=2@3s", 0, 0},
        {"crash=0@3s", 1, 0},
        {"crash=1@3s,crash=2@3.05s", 0, 1}, // within 80 ms
        {"crash=1@3s,crash=2@3.1s", 0, 0},
        {"crash=0@3s,crash=1@9s", 2, 0}, // peer 1 is the next host
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bks_lab_config config = some_lab_config(1, 4, 1200);
        const bks_lab_result result = some_match(&config, GOOD_LINK, cases[i].faults);
        assert_agreed(&result, 1200);
        if (some_moment(&result, "host_crash") != cases[i].host ||
            some_moment(&result, "twin_crash") != cases[i].twin ||
            some_moment(&result, "ballot_crash") != 0) {
            fail_msg("%s is counted as something else", cases[i].faults);
        }
    }
}

static void a_crash_in_a_ballot_is_a_moment(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 4, 900);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "crash=3@3s");
    while (!bksi_ballots_stand(&lab->peers[1].session->views.ballots)) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 200));
    }
    bksi_lab_watch_crash(lab, 0);
    assert_true(lab->moments[LAB_MOMENT_BALLOT_CRASH] == 1);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS));
    bksi_lab_watch_crash(lab, 0); // the ballot is over: it made a view
    assert_true(lab->moments[LAB_MOMENT_BALLOT_CRASH] == 1);
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_of_one_view_must_have_all_alike),
        cmocka_unit_test(views_that_part_agree_up_to_the_first_end_that_differs),
        cmocka_unit_test(a_peer_that_left_at_one_tick_in_both_views_parts_no_one),
        cmocka_unit_test(both_sides_of_a_split_play_to_the_end_each_compared_on_its_own),
        cmocka_unit_test(only_sides_that_still_play_are_listed),
        cmocka_unit_test(sides_that_meet_again_are_a_reunion),
        cmocka_unit_test(views_after_the_other_side_is_gone_are_no_splits),
        cmocka_unit_test(a_crashed_peer_is_compared_up_to_its_end),
        cmocka_unit_test(a_leaver_is_not_waited_for_and_compared_up_to_its_end),
        cmocka_unit_test(a_dropped_peer_that_does_not_know_is_not_waited_for),
        cmocka_unit_test(events_after_the_end_change_nothing),
        cmocka_unit_test(a_match_without_peers_left_did_not_agree),
        cmocka_unit_test(crashes_say_whom_they_befell_and_with_whom),
        cmocka_unit_test(a_crash_in_a_ballot_is_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
