// SPDX-License-Identifier: MIT

// The match on a toy game: what is predicted, rolled back, confirmed.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"

static toy_network network;

static void assert_all_agree(bks_tick ticks)
{
    bks_roster roster;
    assert_int_equal(bks_session_roster(network.peers[0].session, &roster), BKS_OK);
    uint64_t expected = toy_straight_run(roster.players, ticks, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(network.peers[i].session, ticks, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
}

static void two_peers_end_in_the_state_of_a_straight_run(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    assert_all_agree(600);
    toy_destroy(&network);
}

static void one_peer_alone_plays_without_a_network(void **context)
{
    (void)context;
    toy_create(&network, 1, 1, NULL);
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    assert_all_agree(600);
    assert_int_equal(network.peers[0].packets_sent, 0);
    assert_int_equal(network.peers[0].load_ops, 0);
    toy_destroy(&network);
}

static void late_input_resimulates_only_from_the_wrong_tick(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    network.hold_input_ticks = 100;
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    assert_all_agree(600);
    bks_stats stats;
    assert_int_equal(bks_session_stats(network.peers[0].session, &stats), BKS_OK);
    // Inputs change at ticks 0, 100, ..., 500: six wrong guesses, each found a way's ticks later.
    assert_in_range(stats.rollbacks, 5, 6);
    assert_in_range(stats.rollback_depth_max, 3, 6);
    toy_destroy(&network);
}

static void a_right_guess_is_never_resimulated(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, NULL);
    network.hold_input_ticks = 100000;
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    for (uint32_t i = 0; i < 2; i++) {
        // The first input is not neutral, so the very first ticks are guessed wrong once.
        assert_in_range(network.peers[i].load_ops, 0, 1);
        for (bks_tick t = 10; t < 600; t++) {
            assert_int_equal(network.peers[i].step_count[t], 1);
        }
    }
    toy_destroy(&network);
}

static void tune_lockstep(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.window_ticks = 0;
    config->tuning.delay_ticks = 6;
    config->tuning.hash_every_ticks = 1;
}

static void lockstep_never_steps_a_tick_twice(void **context)
{
    (void)context;
    toy_create(&network, 3, 2, tune_lockstep);
    network.jitter_ns = 5 * TOY_MS;
    network.loss_percent = 5;
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    assert_all_agree(600);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].load_ops + network.peers[i].save_ops, 0);
        for (bks_tick t = 0; t < 600; t++) {
            assert_int_equal(network.peers[i].step_count[t], 1);
        }
    }
    toy_destroy(&network);
}

static void every_input_is_sampled_once_under_loss_jitter_and_duplication(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        toy_create(&network, 4, seed, NULL);
        network.jitter_ns = 40 * TOY_MS;
        network.loss_percent = 20;
        network.duplicate_percent = 10;
        network.corrupt_percent = 5;
        print_message("seed %d\n", (int)seed);
        assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
        assert_all_agree(600);
        for (uint32_t i = 0; i < 4; i++) {
            for (bks_tick t = 0; t < 600; t++) {
                assert_int_equal(network.peers[i].sample_count[t], 1);
            }
        }
        toy_destroy(&network);
    }
}

static bks_save_policy tuned_policy;
static uint32_t tuned_window;

static void tune_policy(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.save = tuned_policy;
    config->tuning.window_ticks = tuned_window;
}

static void every_policy_and_window_reaches_the_same_state(void **context)
{
    (void)context;
    static const uint32_t windows[] = {1, 2, 3, 8, 20, 64};
    for (int policy = BKS_SAVE_EVERY; policy <= BKS_SAVE_AUTO; policy++) {
        for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
            tuned_policy = (bks_save_policy)policy;
            tuned_window = windows[w];
            toy_create(&network, 3, 5, tune_policy);
            network.jitter_ns = 20 * TOY_MS;
            network.loss_percent = 10;
            print_message("policy %d window %u\n", policy, tuned_window);
            assert_true(toy_run_to_end(&network, 90000 * TOY_MS));
            assert_all_agree(600);
            assert_true(bks_session_slots(network.peers[0].session) <= tuned_window + 2);
            assert_true(network.peers[0].oldest_load <= 2 * (bks_tick)tuned_window + 1);
            toy_destroy(&network);
        }
    }
}

static void two_keeps_two_slots_and_saves_less_than_every(void **context)
{
    (void)context;
    uint64_t saves[2];
    for (int policy = BKS_SAVE_EVERY; policy <= BKS_SAVE_TWO; policy++) {
        tuned_policy = (bks_save_policy)policy;
        tuned_window = 20;
        toy_create(&network, 2, 5, tune_policy);
        assert_int_equal(bks_session_slots(network.peers[0].session), policy == 0 ? 22 : 2);
        assert_true(toy_run_to_end(&network, 90000 * TOY_MS));
        saves[policy] = network.peers[0].save_ops;
        toy_destroy(&network);
    }
    assert_true(saves[1] * 2 < saves[0]);
}

static void one_walks_its_whole_window_every_tick(void **context)
{
    (void)context;
    tuned_policy = BKS_SAVE_ONE;
    tuned_window = 10;
    toy_create(&network, 2, 5, tune_policy);
    network.hold_input_ticks = 100000;
    assert_true(toy_run_to_end(&network, 90000 * TOY_MS));
    assert_in_range(network.peers[0].step_ops, 600 * 9, 600 * 12);
    toy_destroy(&network);
}

static void tune_window_8(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.window_ticks = 8;
}

static void used_up_window_starves_and_resumes_when_the_input_arrives(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_window_8);
    network.delay_ns = 43 * TOY_MS; // packets come between ticks
    toy_run_until(&network, 3000 * TOY_MS);
    toy_peer *peer = &network.peers[0];
    assert_int_equal(peer->events[BKS_EVENT_STARVED], 0);
    network.is_cut = true;
    toy_run_until(&network, 3500 * TOY_MS);
    assert_int_equal(peer->events[BKS_EVENT_STARVED], 1);
    assert_int_equal(peer->last[BKS_EVENT_STARVED].peer, 1);
    bks_tick stuck = bks_session_tick(peer->session);
    assert_int_equal(stuck - bks_session_confirmed(peer->session), 8);
    toy_run_until(&network, 3600 * TOY_MS);
    assert_int_equal(bks_session_tick(peer->session), stuck);
    network.is_cut = false;
    // The first packet through is worth an update at once.
    while (bks_session_confirmed(peer->session) <= stuck - 8) {
        toy_run_until(&network, network.now_ns + TOY_MS);
    }
    assert_int_equal(bks_session_tick(peer->session), stuck + 1);
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    assert_int_equal(peer->events[BKS_EVENT_RESUMED], peer->events[BKS_EVENT_STARVED]);
    bks_stats stats;
    assert_int_equal(bks_session_stats(peer->session, &stats), BKS_OK);
    // 600 ms of cut less the window's 133 ms and the way's 50: some 25 to 40 ticks.
    assert_in_range(stats.starved_ticks, 20, 45);
    assert_all_agree(600);
    toy_destroy(&network);
}

static void nothing_is_published_before_it_is_confirmed(void **context)
{
    (void)context;
    toy_create(&network, 2, 9, NULL);
    network.jitter_ns = 30 * TOY_MS;
    for (uint64_t ms = 200; ms < 8000; ms += 7) {
        toy_run_until(&network, ms * TOY_MS);
        for (uint32_t i = 0; i < 2; i++) {
            bks_session *session = network.peers[i].session;
            bks_tick published = bks_session_published(session);
            assert_true(published <= bks_session_confirmed(session));
            assert_true(published <= bks_session_tick(session));
            uint64_t hash = 0;
            assert_int_equal(bks_session_hash(session, bks_session_confirmed(session) + 1, &hash),
                             BKS_ERR_NOT_CONFIRMED);
        }
    }
    for (bks_tick t = 0; t < 400; t++) {
        assert_true(network.peers[0].published[t] == toy_straight_run(2, t, 4));
    }
    toy_destroy(&network);
}

static void tune_delay(bks_session_config *config, uint32_t peer)
{
    config->tuning.delay_ticks = peer == 0 ? 255 : 3;
}

static void delays_of_any_size_and_different_ones_agree(void **context)
{
    (void)context;
    toy_create(&network, 2, 9, tune_delay);
    network.loss_percent = 10;
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    assert_all_agree(600);
    toy_destroy(&network);
}

static uint32_t tuned_rate;

static bks_tick tuned_ticks(uint32_t rate)
{
    return rate * 6 < TOY_TICKS_MAX ? (bks_tick)rate * 6 : 4000;
}

static void tune_rate(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tick_rate_hz = tuned_rate;
    config->ticks = tuned_ticks(tuned_rate);
    config->tuning.window_ticks = 64;
}

static void a_packet_a_tick_but_20_to_120_a_second_at_any_tick_rate(void **context)
{
    (void)context;
    static const uint32_t rates[] = {1, 10, 60, 144, 1000};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        tuned_rate = rates[i];
        toy_create(&network, 2, 3, tune_rate);
        toy_run_until(&network, 1000 * TOY_MS);
        uint32_t before = network.peers[0].packets_sent;
        toy_run_until(&network, 4000 * TOY_MS);
        uint32_t a_second = (network.peers[0].packets_sent - before) / 3;
        print_message("%u Hz: %u packets a second\n", tuned_rate, a_second);
        uint32_t expected = rates[i] < 20 ? 20 : rates[i] > 120 ? 120 : rates[i];
        assert_in_range(a_second, expected - 2, expected + 1);
        assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
        assert_all_agree(tuned_ticks(rates[i]));
        toy_destroy(&network);
    }
}

static void flipped_bit_is_named_by_both_at_its_tick(void **context)
{
    (void)context;
    for (bks_tick flip = 1; flip < 400; flip += 57) {
        toy_create(&network, 2, 3, NULL);
        network.jitter_ns = 10 * TOY_MS;
        network.loss_percent = 5;
        network.peers[1].flip_tick = flip;
        (void)toy_run_to_end(&network, 12000 * TOY_MS);
        for (uint32_t i = 0; i < 2; i++) {
            const toy_peer *peer = &network.peers[i];
            assert_int_equal(peer->events[BKS_EVENT_DESYNC], 1);
            assert_int_equal(peer->last[BKS_EVENT_DESYNC].tick, flip);
            assert_int_equal(peer->last[BKS_EVENT_DESYNC].peer, 1 - i);
            assert_false(peer->last[BKS_EVENT_DESYNC].inputs_differ);
            // Within a round trip (6 ticks, 2 of jitter) and two ticks of confirmation, and what a
            // lost packet costs.
            bks_tick late = peer->last[BKS_EVENT_DESYNC].found_tick - flip;
            assert_in_range(late, 1, 25);
        }
        toy_destroy(&network);
    }
}

static void tune_seats(bks_session_config *config, uint32_t peer)
{
    static const uint32_t counts[] = {2, 1, 1};
    static const uint32_t first[] = {BKS_AUTO, 2, 3};
    config->players = 4;
    config->local_players = counts[peer];
    config->first_player = first[peer];
}

static void peers_hold_several_seats(void **context)
{
    (void)context;
    toy_create(&network, 3, 3, tune_seats);
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    assert_all_agree(600);
    bks_roster roster;
    assert_int_equal(bks_session_roster(network.peers[2].session, &roster), BKS_OK);
    assert_int_equal(roster.players, 4);
    assert_int_equal(roster.peers, 3);
    assert_int_equal(roster.self, 2);
    assert_int_equal(roster.first_player[2], 3);
    toy_destroy(&network);
}

static void tune_sixteen(bks_session_config *config, uint32_t peer)
{
    config->players = 16;
    config->local_players = 2;
    config->first_player = peer == 0 ? BKS_AUTO : peer * 2;
    config->ticks = 200;
}

static void eight_peers_with_sixteen_players_agree(void **context)
{
    (void)context;
    toy_create(&network, 8, 3, tune_sixteen);
    network.loss_percent = 5;
    network.jitter_ns = 10 * TOY_MS;
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    assert_all_agree(200);
    toy_destroy(&network);
}

static void tune_any_seat(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->first_player = BKS_AUTO;
}

static void guests_without_a_wish_get_the_next_free_seat(void **context)
{
    (void)context;
    toy_create(&network, 4, 3, tune_any_seat);
    network.loss_percent = 30;
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 4; i++) {
        bks_roster roster;
        assert_int_equal(bks_session_roster(network.peers[i].session, &roster), BKS_OK);
        seen |= 1u << roster.first_player[roster.self];
    }
    assert_int_equal(seen, 15);
    toy_destroy(&network);
}

static void after_a_goodbye_the_other_plays_on_alone(void **context)
{
    (void)context;
    toy_create(&network, 2, 3, NULL);
    toy_run_until(&network, 3000 * TOY_MS);
    bks_tick before = bks_session_tick(network.peers[0].session);
    assert_int_equal(bks_session_leave(network.peers[1].session), BKS_OK);
    toy_run_until(&network, 3200 * TOY_MS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_RUNNING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_int_equal(network.peers[0].last[BKS_EVENT_LEFT].peer, 1);
    assert_in_range(network.peers[0].last[BKS_EVENT_LEFT].tick, before - 10, before);
    assert_in_range(bks_session_tick(network.peers[0].session), before + 11, before + 13);
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    // Heard, the leaver has nothing more to say.
    assert_true(bks_session_wake(network.peers[1].session) == UINT64_MAX);
    toy_destroy(&network);
}

static void after_long_silence_the_other_plays_on_alone(void **context)
{
    (void)context;
    toy_create(&network, 2, 3, NULL);
    toy_run_until(&network, 3000 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 4500 * TOY_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_SILENT], 1);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 0);
    toy_run_until(&network, 8200 * TOY_MS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_RUNNING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LOST], 1);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    bks_roster roster;
    assert_int_equal(bks_session_roster(network.peers[0].session, &roster), BKS_OK);
    assert_true(roster.is_in[0] && !roster.is_in[1]);
    assert_int_equal(roster.end[0], BKS_TICK_NONE);
    assert_int_equal(roster.end[1], network.peers[0].last[BKS_EVENT_LEFT].tick);
    assert_int_equal(roster.view, 1);
    toy_run_until(&network, 12000 * TOY_MS);
    assert_in_range(bks_session_confirmed(network.peers[0].session), roster.end[1] + 200, 600);
    // The other wakes, and learns it.
    network.peers[1].is_frozen = false;
    toy_run_until(&network, 13200 * TOY_MS);
    assert_int_equal(bks_session_phase(network.peers[1].session), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DROPPED], 1);
    toy_destroy(&network);
}

static void after_a_second_of_silence_only_four_packets_a_second_go_out(void **context)
{
    (void)context;
    toy_create(&network, 2, 3, NULL);
    toy_run_until(&network, 2000 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 3100 * TOY_MS);
    uint32_t before = network.peers[0].packets_sent;
    toy_run_until(&network, 6100 * TOY_MS);
    assert_in_range(network.peers[0].packets_sent - before, 11, 13);
    toy_destroy(&network);
}

static void a_frozen_peer_that_comes_back_plays_on(void **context)
{
    (void)context;
    toy_create(&network, 2, 3, NULL);
    toy_run_until(&network, 3000 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 5000 * TOY_MS);
    network.peers[1].is_frozen = false;
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    assert_int_equal(network.peers[0].events[BKS_EVENT_BACK], 1);
    assert_all_agree(600);
    toy_destroy(&network);
}

static void tune_long(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 2000;
}

static void a_tick_that_left_the_history_is_distinguished_from_a_wrong_one(void **context)
{
    (void)context;
    toy_create(&network, 2, 3, tune_long);
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    const bks_session *session = network.peers[0].session;
    uint64_t hash = 0;
    int32_t inputs[4];
    assert_int_equal(bks_session_hash(session, 0, &hash), BKS_ERR_TICK_TOO_OLD);
    assert_int_equal(bks_session_inputs(session, 0, inputs), BKS_ERR_TICK_TOO_OLD);
    assert_int_equal(bks_session_hash(session, 2000 - 2 * (20 + 64), &hash), BKS_OK);
    assert_int_equal(bks_session_inputs(session, 1999, inputs), BKS_OK);
    assert_int_equal(inputs[0], toy_input(0, 1999, 4));
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_peers_end_in_the_state_of_a_straight_run),
        cmocka_unit_test(one_peer_alone_plays_without_a_network),
        cmocka_unit_test(late_input_resimulates_only_from_the_wrong_tick),
        cmocka_unit_test(a_right_guess_is_never_resimulated),
        cmocka_unit_test(lockstep_never_steps_a_tick_twice),
        cmocka_unit_test(every_input_is_sampled_once_under_loss_jitter_and_duplication),
        cmocka_unit_test(every_policy_and_window_reaches_the_same_state),
        cmocka_unit_test(two_keeps_two_slots_and_saves_less_than_every),
        cmocka_unit_test(one_walks_its_whole_window_every_tick),
        cmocka_unit_test(used_up_window_starves_and_resumes_when_the_input_arrives),
        cmocka_unit_test(nothing_is_published_before_it_is_confirmed),
        cmocka_unit_test(delays_of_any_size_and_different_ones_agree),
        cmocka_unit_test(a_packet_a_tick_but_20_to_120_a_second_at_any_tick_rate),
        cmocka_unit_test(flipped_bit_is_named_by_both_at_its_tick),
        cmocka_unit_test(peers_hold_several_seats),
        cmocka_unit_test(eight_peers_with_sixteen_players_agree),
        cmocka_unit_test(guests_without_a_wish_get_the_next_free_seat),
        cmocka_unit_test(after_a_goodbye_the_other_plays_on_alone),
        cmocka_unit_test(after_long_silence_the_other_plays_on_alone),
        cmocka_unit_test(after_a_second_of_silence_only_four_packets_a_second_go_out),
        cmocka_unit_test(a_frozen_peer_that_comes_back_plays_on),
        cmocka_unit_test(a_tick_that_left_the_history_is_distinguished_from_a_wrong_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
