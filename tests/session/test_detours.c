// SPDX-License-Identifier: MIT

// A pair that does not reach each other plays on through the others.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"

#define SECONDS (1000 * TOY_MS)

static bks_tick tuned_ticks;
static uint32_t tuned_window;
static uint32_t tuned_notify_ms;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = tuned_ticks;
    config->tuning.window_ticks = tuned_window;
    config->tuning.notify_after_ms = tuned_notify_ms;
}

static void begin(uint32_t peers, uint64_t seed, bks_tick ticks)
{
    tuned_ticks = ticks;
    tuned_window = 20;
    tuned_notify_ms = 1000;
    toy_create(&network, peers, seed, tune);
}

static uint64_t relayed(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        sum += stats_of(i).relayed;
    }
    return sum;
}

static void assert_ends_agreed(uint64_t limit_ns)
{
    assert_true(toy_run_to_end(&network, limit_ns));
    uint64_t expected = toy_straight_run(network.peer_count, tuned_ticks, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        const toy_peer *peer = &network.peers[i];
        assert_int_equal(bks_session_hash(peer->session, tuned_ticks, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(peer->events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(peer->events[BKS_EVENT_LOST], 0);
        assert_int_equal(peer->events[BKS_EVENT_LEFT], 0);
        assert_int_equal(peer->events[BKS_EVENT_SILENT], 0);
    }
}

static void a_cut_pair_plays_on_through_the_third(void **context)
{
    (void)context;
    begin(3, 1, 4200);
    network.delay_ns = 40 * TOY_MS;
    toy_run_until(&network, 5 * SECONDS);
    toy_cut(&network, 0, 1, true);
    toy_run_until(&network, 65 * SECONDS);
    uint64_t passed_on = relayed();
    print_message("relayed %u, starved %u %u %u\n", (uint32_t)passed_on,
                  (uint32_t)stats_of(0).starved_ticks, (uint32_t)stats_of(1).starved_ticks,
                  (uint32_t)stats_of(2).starved_ticks);
    assert_true(passed_on > 3000);
    // A probe of the cut route is no loss of the detour.
    assert_true(stats_of(0).links[1].loss < 0.01 && stats_of(1).links[0].loss < 0.01);
    // Packets that are not acknowledged directly do not pile up.
    bks_stats end = stats_of(0);
    double bytes = (double)end.payload_bytes_sent / (double)end.packets_sent;
    print_message("%.1f bytes a packet\n", bytes);
    assert_true(bytes < 90.0);
    toy_cut(&network, 0, 1, false);
    toy_run_until(&network, 67 * SECONDS);
    passed_on = relayed();
    toy_run_until(&network, 70 * SECONDS);
    assert_int_equal(relayed(), passed_on); // holds until the peer hears otherwise
    assert_ends_agreed(75 * SECONDS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(stats_of(i).starved_ticks < 42);
    }
    toy_destroy(&network);
}

static void a_pair_that_is_cut_to_the_end_still_ends(void **context)
{
    (void)context;
    begin(3, 1, 600);
    network.loss_percent = 10;
    toy_run_until(&network, 2 * SECONDS);
    toy_cut(&network, 1, 2, true);
    assert_ends_agreed(14 * SECONDS);
    toy_destroy(&network);
}

static void one_direction_alone_is_healed_too(void **context)
{
    (void)context;
    for (uint32_t from = 0; from < 3; from++) {
        begin(3, from, 1800);
        network.jitter_ns = 10 * TOY_MS;
        network.loss_percent = 5;
        toy_run_until(&network, 2 * SECONDS);
        network.cut[from] = 1u << (from + 1) % 3;
        toy_run_until(&network, 25 * SECONDS);
        double bytes =
            (double)stats_of(from).payload_bytes_sent / (double)stats_of(from).packets_sent;
        assert_true(bytes < 90.0);
        assert_true(relayed() > 1000);
        assert_ends_agreed(40 * SECONDS);
        toy_destroy(&network);
    }
}

static void a_star_around_one_peer_is_enough(void **context)
{
    (void)context;
    begin(5, 3, 1200);
    network.delay_ns = 20 * TOY_MS;
    toy_run_until(&network, 2 * SECONDS);
    for (uint32_t a = 1; a < 5; a++) {
        for (uint32_t b = a + 1; b < 5; b++) {
            toy_cut(&network, a, b, true);
        }
    }
    assert_ends_agreed(40 * SECONDS);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(stats_of(i).starved_ticks < 30);
    }
    toy_destroy(&network);
}

/// As behind NATs that keep no port: from the very beginning.
static void guests_that_never_met_play_through_the_host(void **context)
{
    (void)context;
    begin(4, 3, 1200);
    network.loss_percent = 10;
    for (uint32_t a = 1; a < 4; a++) {
        for (uint32_t b = a + 1; b < 4; b++) {
            toy_cut(&network, a, b, true);
        }
    }
    toy_run_until(&network, 5 * SECONDS);
    assert_true(bks_session_tick(network.peers[0].session) > 120);
    assert_ends_agreed(40 * SECONDS);
    assert_true(relayed() > 2000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(stats_of(i).starved_ticks < 30);
    }
    toy_destroy(&network);
}

static void guests_that_meet_late_need_no_carrier_any_more(void **context)
{
    (void)context;
    begin(3, 3, 1800);
    toy_cut(&network, 1, 2, true);
    toy_run_until(&network, 8 * SECONDS);
    assert_true(relayed() > 300);
    toy_cut(&network, 1, 2, false);
    toy_run_until(&network, 12 * SECONDS);
    const uint64_t passed_on = relayed();
    assert_ends_agreed(50 * SECONDS);
    assert_int_equal(relayed(), passed_on);
    toy_destroy(&network);
}

static void with_all_well_nothing_is_carried(void **context)
{
    (void)context;
    begin(4, 5, 1200);
    network.loss_percent = 2;
    network.delay_ns = 50 * TOY_MS;
    toy_run_until(&network, 20 * SECONDS);
    bks_stats stats = stats_of(1);
    print_message("%u bytes a second\n", (uint32_t)(stats.payload_bytes_sent / 20));
    assert_int_equal(relayed(), 0);
    assert_ends_agreed(30 * SECONDS);
    toy_destroy(&network);
}

static void a_pair_cut_again_and_again_never_loses_an_input(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        begin(4, seed, 1200);
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = (uint32_t)seed;
        for (uint64_t ms = 1000; ms < 19000; ms += 70 + seed * 37) {
            toy_run_until(&network, ms * TOY_MS);
            uint32_t a = (uint32_t)(ms * seed / 7) % 4;
            uint32_t b = (a + 1 + (uint32_t)(ms / 13) % 3) % 4;
            for (uint32_t i = 0; i < 4; i++) {
                network.cut[i] = 0;
            }
            toy_cut(&network, a, b, (ms / 11) % 3 != 0);
        }
        for (uint32_t i = 0; i < 4; i++) {
            network.cut[i] = 0;
        }
        assert_ends_agreed(60 * SECONDS);
        toy_destroy(&network);
    }
}

/// The peer gets at once what it missed, and echoes one packet of that, not each.
static void a_peer_that_stood_still_is_soon_sent_to_straight_again(void **context)
{
    (void)context;
    static const uint64_t delays_ms[] = {5, 50, 141, 300};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        begin(3, seed + 16, 1200);
        network.delay_ns = delays_ms[seed % 4] * TOY_MS;
        network.jitter_ns = (seed / 4) * 20 * TOY_MS;
        network.loss_percent = seed % 2 == 0 ? 2 : 0;
        toy_run_until(&network, 5 * SECONDS + seed * 13 * TOY_MS);
        const uint64_t before = relayed();
        network.peers[2].is_stopped = true;
        toy_run_until(&network, network.now_ns + (700 + seed * 100) * TOY_MS);
        network.peers[2].is_stopped = false;
        const uint64_t soon_ns = network.loss_percent > 0 ? 6 * SECONDS : 2500 * TOY_MS;
        toy_run_until(&network, network.now_ns + soon_ns);
        const uint64_t after = relayed();
        print_message("seed %u: relayed %u\n", (uint32_t)seed, (uint32_t)(after - before));
        assert_true(after > before);
        toy_run_until(&network, network.now_ns + 3 * SECONDS);
        assert_true(relayed() - after < 3); // packets that were on their way
        toy_destroy(&network);
    }
}

/// Before it is missed for long, what it sends comes through the third.
static void a_peer_that_is_cut_off_in_one_direction_is_not_silent_for_long(void **context)
{
    (void)context;
    for (uint32_t from = 0; from < 3; from++) {
        begin(3, from, 600);
        tuned_notify_ms = 300;
        toy_destroy(&network);
        toy_create(&network, 3, from, tune);
        network.delay_ns = 20 * TOY_MS;
        toy_run_until(&network, 2 * SECONDS);
        network.cut[from] = 1u << (from + 1) % 3;
        assert_ends_agreed(14 * SECONDS);
        toy_destroy(&network);
    }
}

/// The third has little room for two: its own inputs, and those that it passes on.
static void on_a_narrow_link_neither_its_own_inputs_nor_those_passed_on_starve(void **context)
{
    (void)context;
    for (uint32_t every = 1; every <= 4; every++) {
        begin(3, every, 1800);
        network.delay_ns = 20 * TOY_MS;
        toy_run_until(&network, 2 * SECONDS);
        toy_cut(&network, 0, 1, true);
        network.narrow[2] = 1u << 0;
        network.narrow_every = every;
        toy_run_until(&network, 30 * SECONDS);
        uint32_t starved = (uint32_t)stats_of(0).starved_ticks;
        print_message("one packet every %u ticks: starved %u\n", every, starved);
        assert_true(starved < 100);
        network.narrow[2] = 0;
        assert_ends_agreed(45 * SECONDS);
        toy_destroy(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_pair_plays_on_through_the_third),
        cmocka_unit_test(a_pair_that_is_cut_to_the_end_still_ends),
        cmocka_unit_test(one_direction_alone_is_healed_too),
        cmocka_unit_test(a_star_around_one_peer_is_enough),
        cmocka_unit_test(guests_that_never_met_play_through_the_host),
        cmocka_unit_test(guests_that_meet_late_need_no_carrier_any_more),
        cmocka_unit_test(with_all_well_nothing_is_carried),
        cmocka_unit_test(a_peer_that_stood_still_is_soon_sent_to_straight_again),
        cmocka_unit_test(a_peer_that_is_cut_off_in_one_direction_is_not_silent_for_long),
        cmocka_unit_test(on_a_narrow_link_neither_its_own_inputs_nor_those_passed_on_starve),
        cmocka_unit_test(a_pair_cut_again_and_again_never_loses_an_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
