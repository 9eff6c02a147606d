// SPDX-License-Identifier: MIT

// Nobody runs ahead: advantage, stalls, slew, catching up, dynamic input delay.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"

static toy_network network;
static bks_pace tuned_pace;
static uint32_t tuned_delay;
static uint32_t tuned_window;
static bks_tick tuned_ticks;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->pace = tuned_pace;
    config->delay_ticks = tuned_delay;
    config->window_ticks = tuned_window;
    config->ticks = tuned_ticks;
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

static bks_session_stats stats_of(uint32_t peer)
{
    bks_session_stats stats;
    assert_int_equal(bks_session_get_stats(network.peers[peer].session, &stats), BKS_OK);
    return stats;
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
        for (bks_tick t = 0; t < ticks; t++)
            assert_int_equal(network.peers[i].sample_count[t], 1);
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
    // What 2000 ppm cost the slew: x/200 = 0.002.
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

static void a_frozen_peer_is_level_again_within_a_second(void **context)
{
    (void)context;
    for (int pace = BKS_PACE_SLEW; pace <= BKS_PACE_STALL; pace++) {
        set_default_tuning((bks_pace)pace, 900);
        tuned_window = 12;
        begin(2, 4);
        toy_run_until(&network, 3000 * TOY_MS);
        network.peers[1].is_frozen = true;
        toy_run_until(&network, 3500 * TOY_MS);
        network.peers[1].is_frozen = false;
        toy_run_until(&network, 4500 * TOY_MS);
        assert_in_range(distance() + 1, 0, 2);
        assert_ends_agreed(900, 2);
        toy_destroy(&network);
    }
}

static void the_delay_follows_the_lag_and_every_input_is_sampled_once(void **context)
{
    (void)context;
    set_default_tuning(BKS_PACE_SLEW, 3600);
    tuned_delay = BKS_DELAY_AUTO;
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
        tuned_delay = BKS_DELAY_AUTO;
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
    tuned_delay = BKS_DELAY_AUTO;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_pace_a_fast_clock_runs_ahead),
        cmocka_unit_test(slew_holds_drifting_clocks_together_without_stalls),
        cmocka_unit_test(stall_holds_drifting_clocks_together_by_single_ticks),
        cmocka_unit_test(a_frozen_peer_is_level_again_within_a_second),
        cmocka_unit_test(the_delay_follows_the_lag_and_every_input_is_sampled_once),
        cmocka_unit_test(the_first_delay_comes_from_the_pings),
        cmocka_unit_test(lockstep_finds_a_delay_that_seldom_starves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
