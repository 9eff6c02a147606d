// SPDX-License-Identifier: MIT

// No peer runs ahead: advantage, stalls, slew, catching up, dynamic input delay.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"
#include "session/session_internal.h"
#include "wire/packet.h"

static bks_pace tuned_pace;
static uint32_t tuned_delay;
static uint32_t tuned_window;
static bks_tick tuned_ticks;
static uint32_t tuned_rate_hz = 60;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.pace = tuned_pace;
    config->tuning.delay_ticks = tuned_delay;
    config->tuning.window_ticks = tuned_window;
    config->ticks = tuned_ticks;
    config->tick_rate_hz = tuned_rate_hz;
}

static void begin(uint32_t peers, uint64_t seed)
{
    toy_create(&network, peers, seed, tune);
}

static void set_default_tuning(bks_pace pace, bks_tick ticks)
{
    tuned_pace = pace;
    tuned_delay = 0;
    tuned_window = 20;
    tuned_ticks = ticks;
}

/// How far peer 0's present is before peer 1's.
static bks_tick distance(void)
{
    return bks_session_tick(network.peers[0].session) - bks_session_tick(network.peers[1].session);
}

static void assert_ends_agreed(bks_tick ticks, uint32_t players)
{
    assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
    uint64_t expected = toy_straight_run(players, ticks, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(network.peers[i].session, ticks, &hash), BKS_OK);
        assert_true(hash == expected);
        for (bks_tick t = 0; t < ticks; t++) {
            assert_int_equal(network.peers[i].sample_count[t], 1);
        }
    }
}

/// Peers that drift apart by 2000 ppm, ten times what clocks do, for a minute: 7 ticks.
static void drift_for_a_minute(bks_pace pace)
{
    set_default_tuning(pace, 3600);
    begin(2, 4);
    network.jitter_ns = 10 * TOY_MS;
    network.peers[0].drift_ppm = 1000;
    network.peers[1].drift_ppm = -1000;
    toy_run_until(&network, 55000 * TOY_MS);
}

static void without_pace_a_fast_clock_runs_ahead(void **context)
{
    (void)context;
    drift_for_a_minute(BKS_PACE_NONE);
    assert_in_range(distance(), 5, 9);
    toy_destroy(&network);
}

static void slew_holds_drifting_clocks_together_without_stalls(void **context)
{
    (void)context;
    drift_for_a_minute(BKS_PACE_SLEW);
    assert_in_range(distance() + 1, 0, 2);
    assert_int_equal(stats_of(0).stalled_ticks + stats_of(1).stalled_ticks, 0);
    // Advantage that 2000 ppm leave with slew: x/200 = 0.002.
    assert_true(stats_of(0).advantage_abs_mean < 0.6);
    assert_ends_agreed(3600, 2);
    toy_destroy(&network);
}

static void stall_holds_drifting_clocks_together_by_single_ticks(void **context)
{
    (void)context;
    drift_for_a_minute(BKS_PACE_STALL);
    assert_in_range(distance() + 2, 0, 4);
    assert_in_range(stats_of(0).stalled_ticks, 3, 10);
    assert_int_equal(stats_of(1).stalled_ticks, 0);
    assert_ends_agreed(3600, 2);
    toy_destroy(&network);
}

/// Freeze peer 1 for a while, 3 s after the beginning.
static void freeze(uint64_t for_ms)
{
    toy_run_until(&network, 3000 * TOY_MS);
    network.peers[1].is_stopped = true;
    toy_run_until(&network, (3000 + for_ms) * TOY_MS);
    network.peers[1].is_stopped = false;
}

/// How many ticks peer 0 steps a tick before peer 1 does, as measured over a stretch of time.
static double lead(uint64_t from_ms, uint64_t until_ms)
{
    double sum = 0.0;
    for (uint64_t ms = from_ms; ms < until_ms; ms++) {
        toy_run_until(&network, ms * TOY_MS);
        sum += distance();
    }
    return sum / (double)(until_ms - from_ms);
}

/// Begin with peer 0 a whole way ahead: its BEGIN is lost, only its inputs show it.
static void begin_apart(uint64_t way_ms)
{
    begin(2, 4);
    network.delay_ns = way_ms * TOY_MS;
    uint64_t ms = 0;
    while (bks_session_phase(network.peers[0].session) == BKS_PHASE_GATHERING) {
        bks_roster roster;
        assert_int_equal(bks_session_roster(network.peers[1].session, &roster), BKS_OK);
        network.lost_types[0] = roster.peers == 2 ? 1u << BKSI_PACKET_ROSTER : 0;
        toy_run_until(&network, ++ms * TOY_MS);
    }
    network.lost_types[0] = 0;
}

static void a_peer_that_begins_far_ahead_stalls_just_that_far(void **context)
{
    (void)context;
    for (int pace = BKS_PACE_SLEW; pace <= BKS_PACE_STALL; pace++) {
        set_default_tuning((bks_pace)pace, 900);
        begin_apart(120);
        uint64_t began_ms = network.now_ns / TOY_MS;
        double first = lead(began_ms + 300, began_ms + 400);
        assert_true(first > 5.0);
        toy_run_until(&network, (began_ms + 7500) * TOY_MS);
        double later = lead(began_ms + 7500, began_ms + 8000);
        assert_true(later > -1.0 && later < 1.0);
        assert_in_range(stats_of(0).stalled_ticks, pace == BKS_PACE_STALL ? 7 : 0,
                        pace == BKS_PACE_STALL ? 8 : 0);
        assert_int_equal(stats_of(1).stalled_ticks, 0);
        assert_ends_agreed(900, 2);
        toy_destroy(&network);
    }
}

static void a_claim_of_an_absurd_lag_costs_the_others_no_more_than_a_window(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_STALL, 900);
    begin(2, 4);
    for (uint64_t ms = 1; ms < 3000; ms += 10) {
        toy_run_until(&network, ms * TOY_MS);
        bksi_pace_heard(&network.peers[0].session->tempo.pace, &network.peers[0].session->common, 1,
                        -(1 << 30));
        assert_in_range(network.peers[0].session->tempo.pace.stall_queue, 0, 21);
    }
    assert_in_range(stats_of(0).stalled_ticks, 5, 90);
    assert_ends_agreed(900, 2);
    toy_destroy(&network);
}

static void a_frozen_peer_is_level_again_within_a_second(void **context)
{
    (void)context;
    static const uint64_t ways_ms[] = {10, 50, 120};
    static const uint64_t freezes_ms[] = {120, 500, 1500};
    for (int pace = BKS_PACE_SLEW; pace <= BKS_PACE_STALL; pace++) {
        for (size_t i = 0; i < 9; i++) {
            uint64_t freeze_ms = freezes_ms[i % 3];
            set_default_tuning((bks_pace)pace, 900);
            tuned_window = 12;
            begin(2, 4);
            network.delay_ns = ways_ms[i / 3] * TOY_MS;
            freeze(freeze_ms);
            toy_run_until(&network, (4000 + freeze_ms) * TOY_MS);
            double ahead = lead(4000 + freeze_ms, 4200 + freeze_ms);
            assert_true(ahead > -0.75 && ahead < 0.75);
            assert_ends_agreed(900, 2);
            toy_destroy(&network);
        }
    }
}

static void a_stall_before_a_freeze_does_not_continue_after_it(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 900);
    begin_apart(120);
    uint64_t ms = network.now_ns / TOY_MS + 1500;
    toy_run_until(&network, ms * TOY_MS);
    network.peers[0].is_stopped = true;
    toy_run_until(&network, (ms + 500) * TOY_MS);
    network.peers[0].is_stopped = false;
    toy_run_until(&network, (ms + 700) * TOY_MS);
    double before = lead(ms + 700, ms + 800);
    double after = lead(ms + 1000, ms + 1100);
    assert_true(before - after < 0.1);
    toy_destroy(&network);
}

/// As above, but what was sent meanwhile is lost: no peer knows at first where the other is.
static void a_peer_that_lost_all_packets_in_a_freeze_hears_before_it_catches_up(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 900);
    tuned_window = 30;
    begin(2, 4);
    toy_run_until(&network, 3000 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 4500 * TOY_MS);
    network.peers[1].is_frozen = false;
    toy_run_until(&network, 5500 * TOY_MS);
    double ahead = lead(5500, 5700);
    assert_true(ahead > -1.0 && ahead < 1.0);
    assert_ends_agreed(900, 2);
    toy_destroy(&network);
}

static void packets_overtaken_after_a_freeze_do_not_stand_for_a_peer_that_waits(void **context)
{
    (void)context;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        set_default_tuning(BKS_PACE_SLEW, 600);
        tuned_window = 60; // no peer waits
        begin(2, seed);
        network.delay_ns = 180 * TOY_MS;
        network.jitter_ns = 20 * TOY_MS;
        freeze(500);
        toy_run_until(&network, 4500 * TOY_MS);
        double ahead = lead(4500, 4700);
        worst = ahead > worst ? ahead : worst;
        toy_destroy(&network);
    }
    assert_true(worst < 3.0); // of 30
}

static void the_delay_follows_the_lag_and_every_input_is_sampled_once(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 3600);
    tuned_delay = BKS_AUTO;
    begin(3, 6);
    network.delay_ns = 5 * TOY_MS;
    toy_run_until(&network, 8000 * TOY_MS);
    double fast = stats_of(0).input_delay_mean;
    assert_true(fast < 0.5);
    network.delay_ns = 150 * TOY_MS;
    network.jitter_ns = 10 * TOY_MS;
    toy_run_until(&network, 30000 * TOY_MS);
    assert_true(stats_of(0).input_delay_mean > 2.0);
    network.delay_ns = 5 * TOY_MS;
    network.jitter_ns = 0;
    toy_run_until(&network, 55000 * TOY_MS);
    assert_true(stats_of(0).input_delay_mean < 2.5);
    assert_ends_agreed(3600, 3);
    toy_destroy(&network);
}

static void the_first_delay_comes_from_the_pings(void **context)
{
    (void)context;
    static const struct {
        uint64_t way_ms;
        double delay;
    } cases[] = {{10, 0.0}, {40, 1.0}, {60, 2.0}, {110, 3.0}, {160, 4.0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set_default_tuning(BKS_PACE_SLEW, 600);
        tuned_delay = BKS_AUTO;
        begin(2, 6);
        network.delay_ns = cases[i].way_ms * TOY_MS;
        toy_run_until(&network, 1500 * TOY_MS);
        assert_true(stats_of(0).input_delay_mean == cases[i].delay);
        toy_destroy(&network);
    }
}

static void lockstep_finds_a_delay_that_seldom_starves(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 1200);
    tuned_delay = BKS_AUTO;
    tuned_window = 0;
    begin(3, 6);
    network.delay_ns = 60 * TOY_MS;
    network.jitter_ns = 10 * TOY_MS;
    assert_ends_agreed(1200, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(stats_of(i).starved_ticks, 0, 24);
        assert_true(stats_of(i).input_delay_mean < 9.0);
    }
    toy_destroy(&network);
}

/// Ticks stepped by the slower of two peers in a stretch of time.
static bks_tick slower_steps(uint64_t until_ms)
{
    bks_tick before[2];
    bks_tick least = TOY_TICKS_MAX;
    for (uint32_t i = 0; i < 2; i++) {
        before[i] = bks_session_tick(network.peers[i].session);
    }
    toy_run_until(&network, until_ms * TOY_MS);
    for (uint32_t i = 0; i < 2; i++) {
        bks_tick steps = bks_session_tick(network.peers[i].session) - before[i];
        least = steps < least ? steps : least;
    }
    return least;
}

static void lockstep_that_starves_finds_a_longer_delay(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 900);
    tuned_delay = BKS_AUTO;
    tuned_window = 0;
    begin(2, 6);
    network.delay_ns = 5 * TOY_MS;
    toy_run_until(&network, 2000 * TOY_MS);
    network.delay_ns = 120 * TOY_MS;
    toy_run_until(&network, 5000 * TOY_MS);
    assert_in_range(slower_steps(7000), 116, 122);
    assert_ends_agreed(900, 2);
    toy_destroy(&network);
}

static void lockstep_with_slow_ticks_finds_a_longer_delay(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 300);
    tuned_delay = BKS_AUTO;
    tuned_window = 0;
    tuned_rate_hz = 10;
    begin(2, 6);
    network.delay_ns = 5 * TOY_MS;
    toy_run_until(&network, 5000 * TOY_MS);
    network.delay_ns = 350 * TOY_MS;
    toy_run_until(&network, 15000 * TOY_MS);
    assert_in_range(slower_steps(20000), 48, 52);
    assert_ends_agreed(300, 2);
    toy_destroy(&network);
    tuned_rate_hz = 60;
}

static void lockstep_keeps_its_rate_when_the_network_gets_better(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 3600);
    tuned_delay = BKS_AUTO;
    tuned_window = 0;
    begin(2, 6);
    network.delay_ns = 120 * TOY_MS;
    network.jitter_ns = 20 * TOY_MS;
    network.loss_percent = 10;
    toy_run_until(&network, 4000 * TOY_MS);
    network.delay_ns = 0;
    network.jitter_ns = 0;
    network.loss_percent = 0;
    for (uint64_t ms = 6000; ms <= 9000; ms += 1000) {
        assert_in_range(slower_steps(ms), ms == 6000 ? 110 : 57, 140);
    }
    assert_true(stats_of(0).starved_ticks < 60);
    // The delay came down after 20 to 40 s: what is sampled now is stepped within four ticks.
    toy_run_until(&network, 55000 * TOY_MS);
    assert_in_range(bks_session_confirmed(network.peers[0].session) -
                        bks_session_tick(network.peers[0].session),
                    0, 4);
    assert_ends_agreed(3600, 2);
    toy_destroy(&network);
}

static void a_freeze_says_nothing_of_the_delay(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 1200);
    tuned_delay = BKS_AUTO;
    tuned_window = 0;
    begin(2, 6);
    freeze(500);
    assert_ends_agreed(1200, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(stats_of(i).input_delay_mean < 6.0);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_pace_a_fast_clock_runs_ahead),
        cmocka_unit_test(slew_holds_drifting_clocks_together_without_stalls),
        cmocka_unit_test(stall_holds_drifting_clocks_together_by_single_ticks),
        cmocka_unit_test(a_peer_that_begins_far_ahead_stalls_just_that_far),
        cmocka_unit_test(a_claim_of_an_absurd_lag_costs_the_others_no_more_than_a_window),
        cmocka_unit_test(a_frozen_peer_is_level_again_within_a_second),
        cmocka_unit_test(a_stall_before_a_freeze_does_not_continue_after_it),
        cmocka_unit_test(a_peer_that_lost_all_packets_in_a_freeze_hears_before_it_catches_up),
        cmocka_unit_test(packets_overtaken_after_a_freeze_do_not_stand_for_a_peer_that_waits),
        cmocka_unit_test(the_delay_follows_the_lag_and_every_input_is_sampled_once),
        cmocka_unit_test(the_first_delay_comes_from_the_pings),
        cmocka_unit_test(lockstep_finds_a_delay_that_seldom_starves),
        cmocka_unit_test(lockstep_that_starves_finds_a_longer_delay),
        cmocka_unit_test(lockstep_with_slow_ticks_finds_a_longer_delay),
        cmocka_unit_test(lockstep_keeps_its_rate_when_the_network_gets_better),
        cmocka_unit_test(a_freeze_says_nothing_of_the_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
