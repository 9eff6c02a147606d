// SPDX-License-Identifier: MIT

// Pauses and speeds of a match: all members pause at the same tick, whatever gets lost and whoever
// is gone meanwhile, and no state depends on it.

#include "session/paused_match.h"

#define SEEDS 30u

static void every_peer_pauses_at_the_same_tick_and_goes_on_whatever_gets_lost(void **state)
{
    (void)state;
    for (seed = 1; seed <= SEEDS; seed++) {
        const uint32_t peers = 2 + seed % 4;
        const uint32_t by = seed % peers;
        const uint32_t all = (1u << peers) - 1;
        is_mixed = seed % 3 != 0;
        is_lockstep = seed % 5 == 0;
        begin(peers);
        network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
        network.jitter_ns = seed * 7 % 30 * TOY_MS;
        network.loss_percent = seed * 5 % 21;
        run_for(4000 + seed * 37);
        pause_by(by, true);
        run_for(4500);
        const bks_tick tick = assert_paused(all, by);
        run_for(5000);
        assert_int_equal(assert_paused(all, by), tick);
        pause_by(by, false);
        run_for(4000);
        for (uint32_t i = 0; i < peers; i++) {
            assert_false(roster_of(i).is_paused);
            assert_int_equal(network.peers[i].events[BKS_EVENT_SPEED], 2);
            if (tick_of(i) < tick + HZ) {
                fail_msg("seed %u: peer %u is at %d after a pause at %d", seed, i, (int)tick_of(i),
                         (int)tick);
            }
        }
        assert_states(all);
        toy_destroy(&network);
    }
}

static void a_pause_of_the_host_begins_after_its_delay_the_window_and_a_tick(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    const bks_tick front = tick_of(0);
    const bks_tick head = front + (bks_tick)stats_of(0).input_delay;
    pause_by(0, true);
    run_for(1000);
    assert_int_equal(assert_paused(7, 0), head + WINDOW + 1);
    assert_string_equal(network.peers[2].last[BKS_EVENT_SPEED].text,
                        "peer 0 paused the match at tick 187");
    toy_destroy(&network);
}

static void a_pause_of_a_guest_begins_half_a_round_trip_later(void **state)
{
    (void)state;
    begin(3);
    network.delay_ns = 100 * TOY_MS;
    run_for(4000);
    const bks_tick head = tick_of(0) + (bks_tick)stats_of(0).input_delay;
    pause_by(2, true);
    run_for(1500);
    const bks_tick tick = assert_paused(7, 2);
    // 100 ms are 6 ticks, and a packet leaves within 1/120 s.
    assert_in_range(tick - head, WINDOW + 1 + 6, WINDOW + 1 + 8);
    toy_destroy(&network);
}

static void in_lockstep_a_pause_begins_a_tick_after_the_inputs_at_hand(void **state)
{
    (void)state;
    is_lockstep = true;
    begin(2);
    run_for(3000);
    const bks_tick head = tick_of(0) + (bks_tick)stats_of(0).input_delay;
    pause_by(0, true);
    run_for(1000);
    assert_in_range(assert_paused(3, 0), head, head + 1);
    pause_by(0, false);
    run_for(1000);
    assert_states(3);
    toy_destroy(&network);
}

static void a_pause_costs_no_wait_no_delay_and_no_hitch(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < 2; mode++) {
        is_lockstep = mode == 1;
        begin(2);
        run_for(20000);
        const bks_stats before = stats_of(0);
        pause_by(1, true);
        run_for(30000);
        assert_int_equal(stats_of(0).packets_refused, before.packets_refused);
        pause_by(1, false);
        run_for(10000);
        const bks_stats after = stats_of(0);
        assert_true(after.paused_ms > 29000.0 && after.paused_ms < 30200.0);
        assert_true(after.input_delay <= before.input_delay + 1);
        assert_true(after.hitches <= before.hitches + 1);
        assert_true(after.hitch_ms_max < 200.0);
        assert_true(after.tick_interval_ms_max < 250.0);
        assert_true(after.links[1].waited_ms < 200.0);
        assert_true(after.links[1].round_trip_ms < 65.0);
        assert_true(after.links[1].local_lag_mean > before.links[1].local_lag_mean - 0.3);
        assert_true(after.links[1].remote_lag_mean > before.links[1].remote_lag_mean - 0.3);
        assert_states(3);
        toy_destroy(&network);
    }
}

static void in_a_pause_twenty_packets_a_second_measure_the_line(void **state)
{
    (void)state;
    begin(2);
    run_for(3000);
    pause_by(0, true);
    run_for(1000);
    const uint64_t before = stats_of(0).packets_sent;
    network.delay_ns = 80 * TOY_MS;
    run_for(10000);
    assert_in_range(stats_of(0).packets_sent - before, 195, 205);
    assert_in_range((uint64_t)stats_of(0).links[1].round_trip_ms, 155, 165);
    toy_destroy(&network);
}

static void a_program_that_stands_still_for_a_minute_is_dropped_without_a_pause(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    network.peers[2].is_stopped = true;
    run_for(60000);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    toy_destroy(&network);
}

static void in_a_pause_for_which_it_asked_it_is_not(void **state)
{
    (void)state;
    for (uint32_t by = 0; by < 3; by += 2) { // the host pauses for it, or it asks itself
        begin(3);
        run_for(3000);
        pause_by(by, true);
        run_for(1000);
        const bks_tick tick = assert_paused(7, by);
        network.peers[2].is_stopped = true;
        run_for(60000);
        assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 0);
        assert_int_equal(network.peers[1].events[BKS_EVENT_LOST], 0);
        network.peers[2].is_stopped = false;
        run_for(500);
        assert_int_equal(assert_paused(7, by), tick);
        pause_by(by, false);
        run_for(3000);
        assert_true(tick_of(1) > tick + 2 * HZ);
        assert_states(7);
        toy_destroy(&network);
    }
}

static void another_member_that_falls_silent_in_a_pause_is_dropped(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    pause_by(2, true);
    run_for(1000);
    network.peers[1].is_stopped = true;
    run_for(5000);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_int_equal(network.peers[2].events[BKS_EVENT_LEFT], 1);
    assert_true(roster_of(0).is_paused && roster_of(2).is_paused);
    pause_by(2, false);
    run_for(2000);
    assert_true(tick_of(0) > roster_of(0).end[1] + HZ);
    toy_destroy(&network);
}

/// All need its inputs to reach the tick of the pause.
static void a_member_that_fell_silent_before_the_tick_of_a_pause_is_dropped(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    network.peers[1].is_stopped = true;
    run_for(1000); // the others have used up their windows
    pause_by(0, true);
    run_for(8000);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_int_equal(network.peers[2].events[BKS_EVENT_LEFT], 1);
    (void)assert_paused(5, 0);
    pause_by(0, false);
    run_for(2000);
    assert_true(tick_of(0) > roster_of(0).end[1] + HZ);
    toy_destroy(&network);
}

static void an_excused_member_that_stays_silent_after_the_pause_is_dropped(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    pause_by(0, true);
    run_for(1000);
    network.peers[2].is_stopped = true;
    run_for(30000);
    pause_by(0, false);
    run_for(1500);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 0);
    run_for(2500);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    toy_destroy(&network);
}

static void when_the_host_leaves_in_its_pause_the_others_play_on(void **state)
{
    (void)state;
    for (seed = 1; seed <= 10; seed++) {
        begin(3);
        network.loss_percent = seed % 4 * 5;
        run_for(3000);
        pause_by(0, true);
        run_for(1500);
        const bks_tick tick = assert_paused(7, 0);
        assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
        run_for(4000);
        for (uint32_t i = 1; i < 3; i++) {
            assert_false(roster_of(i).is_paused);
            assert_int_equal(roster_of(i).host, 1);
            assert_true(tick_of(i) > tick + HZ);
        }
        toy_destroy(&network);
    }
}

static void a_pause_of_a_guest_survives_the_host_and_ends_with_the_next(void **state)
{
    (void)state;
    begin(4);
    run_for(3000);
    pause_by(2, true);
    run_for(1000);
    const bks_tick tick = assert_paused(15, 2);
    network.peers[0].is_frozen = true;
    run_for(6000);
    assert_int_equal(assert_paused(14, 2), tick);
    assert_int_equal(roster_of(3).host, 1);
    pause_by(1, false); // it is the host now
    run_for(2000);
    assert_true(tick_of(3) > tick + HZ);
    toy_destroy(&network);
}

// One guest alone hears of the pause before the host is gone.
static void the_pause_survives_a_host_that_told_it_to_one(void **state)
{
    (void)state;
    uint32_t heard_by_one = 0;
    for (seed = 1; seed <= SEEDS; seed++) {
        const uint32_t peers = 3 + seed % 3;
        is_mixed = seed % 4 == 0;
        begin(peers);
        run_for(3000 + seed * 17);
        network.cut[0] = ~(1u << (1 + seed % (peers - 1)));
        pause_by(peers - 1, true);
        run_for(130);
        network.peers[0].is_frozen = true;
        network.cut[0] = ~0u;
        uint32_t aware = 0;
        for (uint32_t i = 1; i < peers; i++) {
            aware += session_of(i)->common.game_speed.decision.number > 0 ? 1 : 0;
        }
        heard_by_one += aware == 1 ? 1 : 0;
        run_for(9000);
        if (aware > 0) {
            (void)assert_paused((1u << peers) - 2, peers - 1);
        }
        toy_destroy(&network);
    }
    assert_true(heard_by_one > SEEDS / 2);
}

static void the_pause_of_a_guest_that_leaves_ends(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    pause_by(2, true);
    run_for(1000);
    const bks_tick tick = assert_paused(7, 2);
    assert_int_equal(bks_session_leave(session_of(2)), BKS_OK);
    run_for(3000);
    assert_true(tick_of(0) > tick + HZ && tick_of(1) > tick + HZ);
    toy_destroy(&network);
}

static void a_pause_ends_after_its_limit(void **state)
{
    (void)state;
    const uint64_t limits_ms[] = {BKS_PAUSE_MS_MAX, BKS_GUEST_PAUSES_MS_MAX};
    for (uint32_t by = 0; by < 2; by++) {
        begin(2);
        run_for(3000);
        pause_by(by, true);
        run_for(limits_ms[by] - 1000);
        const bks_tick tick = assert_paused(3, by);
        run_for(5000);
        assert_true(tick_of(0) > tick + HZ && tick_of(1) > tick + HZ);
        char text[96]; // "as peer 0 wanted" would not be so
        (void)snprintf(text, sizeof(text), "the match continues at tick %d, as the host decided",
                       (int)tick);
        for (uint32_t i = 0; i < 2; i++) {
            assert_string_equal(network.peers[i].last[BKS_EVENT_SPEED].text, text);
        }
        toy_destroy(&network);
    }
}

static void a_match_that_stops_ends_its_pause(void **state)
{
    (void)state;
    tuned_desync = BKS_ON_DESYNC_STOP;
    begin(2);
    run_for(3000);
    network.peers[1].flip_tick = tick_of(0) + WINDOW; // the difference is found in the pause
    network.lost_types[0] = network.lost_types[1] = 0;
    pause_by(0, true);
    assert_true(toy_run_to_end(&network, network.now_ns + 10000 * TOY_MS));
    assert_int_equal(bks_session_status(session_of(0)), BKS_ERR_DESYNC);
    assert_int_equal(tick_of(0), tick_of(1));
    assert_int_equal(bks_session_pause(session_of(0), true), BKS_OVER);
    toy_destroy(&network);
}

static void a_match_that_ends_before_the_pause_ends(void **state)
{
    (void)state;
    tuned_ticks = 200;
    begin(2);
    while (tick_of(0) < 185) {
        run_for(5);
    }
    assert_int_equal(bks_session_pause(session_of(0), true), BKS_OVER);
    assert_true(toy_run_to_end(&network, network.now_ns + 10000 * TOY_MS));
    assert_int_equal(bks_session_status(session_of(0)), BKS_OVER);
    toy_destroy(&network);
}

static void a_speed_holds_for_all_from_one_tick_on(void **state)
{
    (void)state;
    const uint32_t speeds[] = {400, 25, 150};
    for (uint32_t k = 0; k < 6; k++) {
        const uint32_t percent = speeds[k % 3];
        is_lockstep = k >= 3;
        begin(3);
        run_for(4000);
        assert_int_equal(bks_session_speed(session_of(k % 2), percent), BKS_OK);
        run_for(3000);
        const bks_tick from[3] = {tick_of(0), tick_of(1), tick_of(2)};
        const bks_tick since = network.peers[0].last[BKS_EVENT_SPEED].tick;
        const uint64_t packets = stats_of(1).links[0].packets_sent;
        run_for(10000);
        assert_in_range(stats_of(1).links[0].packets_sent - packets, 195, 1203);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(roster_of(i).speed_percent, percent);
            assert_int_equal(network.peers[i].last[BKS_EVENT_SPEED].tick, since);
            const int32_t wanted = (int32_t)(10 * HZ * percent / 100);
            if (tick_of(i) - from[i] < wanted * 9 / 10 || tick_of(i) - from[i] > wanted + 8) {
                fail_msg("%u %%, mode %u: peer %u made %d ticks, not %d", percent, k, i,
                         (int)(tick_of(i) - from[i]), wanted);
            }
        }
        assert_int_equal(bks_session_speed(session_of(0), 100), BKS_OK);
        run_for(5000);
        assert_int_equal(roster_of(2).speed_percent, 100);
        assert_states(7);
        toy_destroy(&network);
    }
}

static void a_speed_that_changes_in_a_pause_holds_after_it(void **state)
{
    (void)state;
    begin(2);
    run_for(3000);
    pause_by(0, true);
    run_for(1000);
    const bks_tick tick = assert_paused(3, 0);
    assert_int_equal(bks_session_speed(session_of(1), 200), BKS_OK);
    run_for(1000);
    assert_true(roster_of(0).is_paused);
    assert_int_equal(roster_of(1).paused_by, 0);
    pause_by(0, false);
    run_for(5000);
    assert_in_range(tick_of(0) - tick, 2 * HZ * 4, 2 * HZ * 5);
    assert_states(3);
    toy_destroy(&network);
}

static void a_speed_that_is_wanted_right_after_the_end_of_a_pause_keeps_both(void **state)
{
    (void)state;
    begin(2);
    run_for(3000);
    pause_by(1, true);
    run_for(2000);
    (void)assert_paused(3, 1);
    network.loss_percent = 100; // the host does not hear the first wish alone
    pause_by(1, false);
    run_for(100);
    assert_int_equal(bks_session_speed(session_of(1), 200), BKS_OK);
    network.loss_percent = 0;
    run_for(1000);
    assert_false(roster_of(0).is_paused || roster_of(1).is_paused);
    assert_int_equal(roster_of(0).speed_percent, 200);
    toy_destroy(&network);
}

static void after_a_pause_all_go_on_at_about_the_same_time(void **state)
{
    (void)state;
    begin(3);
    network.delay_ns = 10 * TOY_MS;
    network.far_ns[2] = 140 * TOY_MS;
    run_for(8000);
    pause_by(0, true);
    run_for(2000);
    (void)assert_paused(7, 0);
    pause_by(0, false);
    run_for(400);
    assert_in_range(tick_of(0) - tick_of(2) + 2, 0, 4); // the farthest guest and the host
    toy_destroy(&network);
}

static void a_match_alone_pauses_too(void **state)
{
    (void)state;
    begin(1);
    run_for(1000);
    pause_by(0, true);
    run_for(1000);
    const bks_tick tick = assert_paused(1, 0);
    run_for(5000);
    assert_int_equal(tick_of(0), tick);
    pause_by(0, false);
    run_for(1000);
    assert_in_range(tick_of(0), tick + HZ - 2, tick + HZ + 2);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_peer_pauses_at_the_same_tick_and_goes_on_whatever_gets_lost,
                               reset),
        cmocka_unit_test_setup(a_pause_of_the_host_begins_after_its_delay_the_window_and_a_tick,
                               reset),
        cmocka_unit_test_setup(a_pause_of_a_guest_begins_half_a_round_trip_later, reset),
        cmocka_unit_test_setup(in_lockstep_a_pause_begins_a_tick_after_the_inputs_at_hand, reset),
        cmocka_unit_test_setup(a_pause_costs_no_wait_no_delay_and_no_hitch, reset),
        cmocka_unit_test_setup(in_a_pause_twenty_packets_a_second_measure_the_line, reset),
        cmocka_unit_test_setup(a_program_that_stands_still_for_a_minute_is_dropped_without_a_pause,
                               reset),
        cmocka_unit_test_setup(in_a_pause_for_which_it_asked_it_is_not, reset),
        cmocka_unit_test_setup(another_member_that_falls_silent_in_a_pause_is_dropped, reset),
        cmocka_unit_test_setup(a_member_that_fell_silent_before_the_tick_of_a_pause_is_dropped,
                               reset),
        cmocka_unit_test_setup(an_excused_member_that_stays_silent_after_the_pause_is_dropped,
                               reset),
        cmocka_unit_test_setup(when_the_host_leaves_in_its_pause_the_others_play_on, reset),
        cmocka_unit_test_setup(a_pause_of_a_guest_survives_the_host_and_ends_with_the_next, reset),
        cmocka_unit_test_setup(the_pause_survives_a_host_that_told_it_to_one, reset),
        cmocka_unit_test_setup(the_pause_of_a_guest_that_leaves_ends, reset),
        cmocka_unit_test_setup(a_pause_ends_after_its_limit, reset),
        cmocka_unit_test_setup(a_match_that_stops_ends_its_pause, reset),
        cmocka_unit_test_setup(a_match_that_ends_before_the_pause_ends, reset),
        cmocka_unit_test_setup(a_speed_holds_for_all_from_one_tick_on, reset),
        cmocka_unit_test_setup(a_speed_that_changes_in_a_pause_holds_after_it, reset),
        cmocka_unit_test_setup(a_speed_that_is_wanted_right_after_the_end_of_a_pause_keeps_both,
                               reset),
        cmocka_unit_test_setup(after_a_pause_all_go_on_at_about_the_same_time, reset),
        cmocka_unit_test_setup(a_match_alone_pauses_too, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
