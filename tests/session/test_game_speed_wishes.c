// SPDX-License-Identifier: MIT

// Wishes of guests for pauses and speeds: which of them the host grants, and what they cannot do.

#include "session/paused_match.h"

static void a_guest_has_some_pauses_and_is_told_when_they_are_used_up(void **state)
{
    (void)state;
    tuned_pauses = 2;
    begin(2);
    run_for(3000);
    for (uint32_t i = 0; i < 2; i++) {
        pause_by(1, true);
        run_for(1500);
        (void)assert_paused(3, 1);
        pause_by(1, false);
        run_for(1500);
        assert_false(roster_of(0).is_paused);
    }
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(bks_session_pause(session_of(1), true), BKS_ERR_FULL);
    bks_log_clear_sink();
    assert_non_null(strstr(log.text, "all our pauses are used up"));
    pause_by(0, true); // the host is free
    run_for(1000);
    assert_paused(3, 0);
    assert_int_equal(bks_session_pause(session_of(1), false), BKS_ERR_UNSUPPORTED);
    toy_destroy(&network);
}

static void the_host_alone_decides_where_guests_may_not_ask(void **state)
{
    (void)state;
    tuned_pauses = 0;
    begin(2);
    assert_int_equal(bks_session_pause(session_of(0), true), BKS_ERR_BAD_ARGUMENT); // not yet
    run_for(3000);
    assert_int_equal(bks_session_pause(session_of(1), true), BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_session_speed(session_of(1), 50), BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_session_speed(session_of(0), 24), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_speed(session_of(0), 401), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_pause(NULL, true), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_speed(NULL, 100), BKS_ERR_BAD_ARGUMENT);
    run_for(1000);
    assert_false(roster_of(0).is_paused);
    toy_destroy(&network);
}

/// Ask the host as a guest whose own library would not.
static void ask_anyway(uint32_t guest, bksi_speed_wish_kind kind)
{
    session_game_speed *speed = &session_of(guest)->common.game_speed;
    speed->wish = (bksi_speed_wish){.number = ++speed->wishes, .kind = kind};
}

static void a_host_refuses_a_guest_that_asks_too_much_and_says_why(void **state)
{
    (void)state;
    tuned_pauses = 0;
    begin(3);
    run_for(3000);
    ask_anyway(2, BKSI_WISH_PAUSE);
    run_for(1000);
    assert_false(roster_of(0).is_paused);
    assert_int_equal(network.peers[2].events[BKS_EVENT_SPEED], 1);
    assert_int_equal(network.peers[1].events[BKS_EVENT_SPEED], 0);
    assert_string_equal(network.peers[2].last[BKS_EVENT_SPEED].text,
                        "the host refused: the host alone pauses the match and changes its speed");
    pause_by(0, true);
    run_for(1000);
    ask_anyway(2, BKSI_WISH_RESUME);
    run_for(1000);
    assert_true(roster_of(2).is_paused);
    assert_int_equal(roster_of(1).paused_by, 0);
    toy_destroy(&network);
}

static void a_decision_of_a_guest_and_one_far_ahead_count_for_nothing(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    bksi_speed_decision decision = {
        .number = 1, .tick = tick_of(0) + 400, .is_paused = true, .percent = 100};
    session_of(1)->common.game_speed.decision = decision;
    session_of(1)->common.game_speed.known_head = INT32_MAX;
    session_of(0)->common.game_speed.resume_ns = UINT64_MAX;
    run_for(500);
    assert_int_equal(session_of(2)->common.game_speed.decision.number, 0);
    decision.tick = tick_of(2) - 1; // stepped already
    session_of(0)->common.game_speed.decision = decision;
    session_of(0)->common.game_speed.known_head = INT32_MAX;
    run_for(50);
    assert_int_equal(session_of(2)->common.game_speed.decision.number, 0);
    const uint64_t refused = stats_of(2).packets_refused;
    decision.tick = INT32_MAX;
    session_of(0)->common.game_speed.decision = decision;
    session_of(0)->common.game_speed.known_head = INT32_MAX;
    run_for(500);
    assert_int_equal(session_of(2)->common.game_speed.decision.number, 0);
    assert_true(stats_of(2).packets_refused > refused);
    toy_destroy(&network);
}

/// The host gets the wish of guest 2 for a pause only after the pause of guest 1.
static void a_wish_for_a_pause_can_be_taken_back_in_the_pause_of_another(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    pause_by(1, true);
    run_for(2000);
    (void)assert_paused(7, 1);
    network.loss_percent = 100;
    pause_by(2, true);
    run_for(100);
    pause_by(2, false);
    network.loss_percent = 0;
    pause_by(1, false);
    run_for(2000);
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(roster_of(i).is_paused);
    }
    toy_destroy(&network);
}

// Guest 2 is far away, so it asks for another speed before it hears that the match is to stop.
static void a_wish_that_comes_after_a_match_is_to_stop_keeps_no_pause(void **state)
{
    (void)state;
    uint32_t late = 0;
    for (seed = 1; seed <= 8; seed++) {
        tuned_desync = BKS_ON_DESYNC_STOP;
        begin(3);
        network.far_ns[2] = 300 * TOY_MS;
        run_for(8000);
        network.peers[1].flip_tick = tick_of(0) + WINDOW;
        pause_by(0, true);
        const session_common *host = &session_of(0)->common;
        while (host->ending.tick == 0 || tick_of(1) <= host->game_speed.decision.tick) {
            run_for(5);
        }
        run_for(seed * 20);
        const uint32_t decisions = host->game_speed.decision.number;
        const uint64_t refused = stats_of(1).packets_refused;
        const bks_status asked = bks_session_speed(session_of(2), 50);
        assert_true(asked == BKS_OK || asked == BKS_OVER);
        assert_true(toy_run_to_end(&network, network.now_ns + 6000 * TOY_MS));
        late += host->game_speed.decision.number > decisions ? 1 : 0;
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
            assert_int_equal(tick_of(i), tick_of(0));
            assert_int_equal(network.peers[i].events[BKS_EVENT_LOST], 0);
        }
        assert_int_equal(stats_of(1).packets_refused, refused);
        toy_destroy(&network);
    }
    assert_true(late > 0);
}

static void a_new_host_whose_own_wish_comes_too_late_is_still_heard(void **state)
{
    (void)state;
    tuned_ticks = 300;
    for (seed = 1; seed <= 10; seed++) {
        begin(3);
        while (tick_of(1) < 256 + (bks_tick)seed * 2) {
            run_for(2);
        }
        if (seed % 2 == 0) {
            pause_by(1, true);
        } else {
            assert_int_equal(bks_session_speed(session_of(1), 50), BKS_OK);
        }
        network.peers[0].is_frozen = true; // before it hears the wish
        const uint64_t refused = stats_of(2).packets_refused;
        run_for(20000);
        for (uint32_t i = 1; i < 3; i++) {
            assert_int_equal(bks_session_status(session_of(i)), BKS_OVER);
            assert_int_equal(tick_of(i), 300);
            assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 1);
        }
        assert_int_equal(stats_of(2).packets_refused, refused);
        toy_destroy(&network);
    }
}

static void wishes_of_a_guest_do_not_lengthen_the_wait_of_a_host_that_continues(void **state)
{
    (void)state;
    begin(3);
    network.far_ns[2] = 570 * TOY_MS; // the host waits 0.6 s for this guest
    run_for(9000);
    pause_by(0, true);
    run_for(6000);
    const bks_tick tick = assert_paused(7, 0);
    uint32_t decisions = 0;
    for (uint32_t i = 0; i < 20; i++) { // the first wishes come before the host continues
        if (i == 8) {
            decisions = session_of(0)->common.game_speed.decision.number;
            pause_by(0, false);
        }
        assert_int_equal(bks_session_speed(session_of(2), 50 + i), BKS_OK);
        run_for(260);
        assert_true(i < 11 || !roster_of(0).is_paused); // after 1 s
    }
    assert_true(session_of(0)->common.game_speed.decision.number > decisions + 5);
    assert_true(tick_of(0) > tick + HZ);
    toy_destroy(&network);
}

static void wishes_to_continue_outside_a_pause_put_off_no_speed(void **state)
{
    (void)state;
    begin(3);
    run_for(5000);
    assert_int_equal(bks_session_speed(session_of(0), 50), BKS_OK);
    const bks_tick tick = session_of(0)->common.game_speed.decision.tick;
    for (uint32_t i = 0; i < 8; i++) {
        ask_anyway(2, BKSI_WISH_RESUME);
        run_for(260);
    }
    assert_true(session_of(0)->common.game_speed.decision.number > 5);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(roster_of(i).speed_percent, 50);
        assert_int_equal(network.peers[i].last[BKS_EVENT_SPEED].tick, tick);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_guest_has_some_pauses_and_is_told_when_they_are_used_up, reset),
        cmocka_unit_test_setup(the_host_alone_decides_where_guests_may_not_ask, reset),
        cmocka_unit_test_setup(a_host_refuses_a_guest_that_asks_too_much_and_says_why, reset),
        cmocka_unit_test_setup(a_decision_of_a_guest_and_one_far_ahead_count_for_nothing, reset),
        cmocka_unit_test_setup(a_wish_for_a_pause_can_be_taken_back_in_the_pause_of_another, reset),
        cmocka_unit_test_setup(a_wish_that_comes_after_a_match_is_to_stop_keeps_no_pause, reset),
        cmocka_unit_test_setup(a_new_host_whose_own_wish_comes_too_late_is_still_heard, reset),
        cmocka_unit_test_setup(wishes_of_a_guest_do_not_lengthen_the_wait_of_a_host_that_continues,
                               reset),
        cmocka_unit_test_setup(wishes_to_continue_outside_a_pause_put_off_no_speed, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
