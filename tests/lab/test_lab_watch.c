// SPDX-License-Identifier: MIT

#include "some_lab.h"

#include "lab/lab_internal.h"
#include "session/session_internal.h"

static void moments_are_counted_where_they_come(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 600);
    config.tuning.window_ticks = 10;
    const bks_lab_result result = some_match(&config, "delay=60ms", "cut=0-1@3s+1.5s");
    assert_agreed(&result, 600);
    static const char *const there[] = {"rollback", "starved", "resumed", "silent", "back"};
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        assert_true(some_moment(&result, there[i]) > 0);
    }
    assert_true(some_moment(&result, "starved") == some_moment(&result, "resumed"));
    assert_int_equal(some_moment(&result, "desync"), 0);
    assert_int_equal(some_moment(&result, "handover"), 0);
    assert_true(some_moment(&result, "rollback") ==
                result.peers[0].stats.rollbacks + result.peers[1].stats.rollbacks);
}

static void catching_up_and_changes_of_the_delay_are_moments(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 900);
    const bks_lab_result result = some_match(&config, "delay=100ms", "pause=1@3s+200ms,heal@6s");
    assert_agreed(&result, 900);
    assert_true(some_moment(&result, "catch_up") > 0);
    assert_true(some_moment(&result, "delay_lowered") > 0);
}

static void a_quiet_match_has_no_moments_but_rollbacks(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 300);
    config.tuning.delay_ticks = 2;
    const bks_lab_result result = some_match(&config, NULL, NULL);
    for (uint32_t i = 0; i < result.moment_count; i++) {
        if (strcmp(result.moments[i].name, "rollback") != 0) {
            assert_int_equal(result.moments[i].count, 0);
        }
    }
}

static void a_broken_promise_ends_the_agreement(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 300);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    assert_true(bks_lab_advance(lab, SOME_SECOND_NS));
    lab->config.tuning.window_ticks = 0; // the sessions keep 20
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_int_equal(result.compared, 300);
    assert_int_equal(result.desync_tick, BKS_TICK_NONE);
    assert_false(result.agreed);
    assert_non_null(strstr(result.reason, "ticks ahead of what is confirmed is"));
    bks_lab_destroy(lab);
}

static void other_inputs_are_found_though_the_states_are_the_same(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 120);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    lab->peers[1].chains[77] ^= 1;
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_false(result.agreed);
    assert_non_null(strstr(result.reason, "inputs that peers confirmed differ before tick 77"));
    bks_lab_destroy(lab);
}

static void an_alarm_must_be_true(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 4, 900);
    bks_lab *lab = some_lab(&config, NULL, "split=0.1/2.3@3s+100s");
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    assert_string_equal(lab->invariant_error, "");
    lab->peers[1].hashes[120] ^= 1;
    lab->peers[1].chains[130] ^= 1;
    bks_event alarm = {.kind = BKS_EVENT_DESYNC, .peer = 1, .tick = 120};
    bksi_lab_watch_event(lab, 0, &alarm);
    alarm.tick = 130;
    bksi_lab_watch_event(lab, 2, &alarm);
    assert_string_equal(lab->invariant_error, "");
    alarm.tick = 121; // a peer that does not know the other's hash reports "at this tick or before"
    bksi_lab_watch_event(lab, 0, &alarm);
    assert_string_equal(lab->invariant_error, "");
    alarm.peer_hash = 1;
    bksi_lab_watch_event(lab, 0, &alarm);
    assert_non_null(
        strstr(lab->invariant_error, "a false alarm: peer 0 reports a desync with peer 1"));
    lab->invariant_error[0] = '\0';
    alarm.tick = 850; // the other side of the split need not have the same
    assert_true(lab->peers[1].hashes[850] != lab->peers[2].hashes[850]);
    bksi_lab_watch_event(lab, 2, &alarm);
    assert_non_null(strstr(lab->invariant_error, "a false alarm"));
    bks_lab_destroy(lab);
}

static void endless_wishes_for_updates_are_a_finding(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 300);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    assert_true(bks_lab_advance(lab, SOME_SECOND_NS));
    for (uint32_t i = 0; i < 20; i++) { // immediate updates now and then are allowed
        lab->peers[1].wake_ns = lab->now_ns + (i % 4 == 3 ? 1 : 0);
        bksi_lab_watch_wake(lab, 1);
    }
    assert_string_equal(lab->invariant_error, "");
    lab->peers[1].wake_ns = lab->now_ns;
    bksi_lab_watch_wake(lab, 1);
    bksi_lab_watch_wake(lab, 1);
    bksi_lab_watch_wake(lab, 1);
    bksi_lab_watch_wake(lab, 1);
    assert_string_equal(lab->invariant_error, "");
    bksi_lab_watch_wake(lab, 1);
    assert_non_null(strstr(lab->invariant_error, "wants the next at once is 5"));
    bks_lab_destroy(lab);
}

/// Three peers, one of which crashed and was dropped by the others.
static bks_lab *some_lab_of_two_views(const bks_lab_config *config)
{
    bks_lab *lab = some_lab(config, NULL, "crash=2@1s");
    while (lab->peers[0].session->common.membership.view == 0 ||
           lab->peers[1].session->common.membership.view == 0) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 100));
    }
    assert_string_equal(lab->invariant_error, "");
    return lab;
}

static void members_must_let_others_go_at_one_tick(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 900);
    bks_lab *lab = some_lab_of_two_views(&config);
    lab->peers[1].session->common.membership.ends[2]--;
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 10));
    assert_non_null(strstr(lab->invariant_error, "the end of a leaver"));
    bks_lab_destroy(lab);
}

static void no_peer_confirms_beyond_an_end_that_it_does_not_know(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 900);
    bks_lab *lab = some_lab_of_two_views(&config);
    bks_session *late = lab->peers[1].session;
    late->common.membership.view = 0; // as if the peer had not learnt of the view
    late->common.engine.settled.published = late->common.membership.views[1].ends[2];
    lab_before before = bksi_lab_watch_before(&lab->peers[1]);
    (void)bksi_lab_watch_after(lab, 1, &before);
    assert_string_equal(lab->invariant_error, "");
    late->common.engine.settled.published++;
    before = bksi_lab_watch_before(&lab->peers[1]);
    (void)bksi_lab_watch_after(lab, 1, &before);
    assert_non_null(strstr(lab->invariant_error, "confirmed beyond a leaver's end"));
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_counted_where_they_come),
        cmocka_unit_test(catching_up_and_changes_of_the_delay_are_moments),
        cmocka_unit_test(a_quiet_match_has_no_moments_but_rollbacks),
        cmocka_unit_test(a_broken_promise_ends_the_agreement),
        cmocka_unit_test(other_inputs_are_found_though_the_states_are_the_same),
        cmocka_unit_test(an_alarm_must_be_true),
        cmocka_unit_test(endless_wishes_for_updates_are_a_finding),
        cmocka_unit_test(members_must_let_others_go_at_one_tick),
        cmocka_unit_test(no_peer_confirms_beyond_an_end_that_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
