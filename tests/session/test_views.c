// SPDX-License-Identifier: MIT

// Who is in the match: crashes, goodbyes, splits. Those who are left agree on where each leaver
// ends and go on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"
#include "wire/packet.h"

#define SECONDS (1000 * TOY_MS)
#define DROP_MS 1000u

static toy_network network;
static bks_tick tuned_ticks;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = tuned_ticks;
    config->notify_after_ms = 100;
    config->drop_after_ms = DROP_MS;
}

static void begin(uint32_t peers, uint64_t seed)
{
    tuned_ticks = 0;
    toy_create(&network, peers, seed, tune);
}

static void run_for(uint64_t ms)
{
    toy_run_until(&network, network.now_ns + ms * TOY_MS);
}

static bks_session *session_of(uint32_t peer)
{
    return network.peers[peer].session;
}

static void run_until_started(void)
{
    for (uint32_t i = 0; i < network.peer_count; i++) {
        while (bks_session_phase(session_of(i)) == BKS_PHASE_GATHERING) {
            assert_true(network.now_ns < 60 * SECONDS);
            run_for(10);
        }
    }
}

static bks_roster roster_of(uint32_t peer)
{
    bks_roster roster;
    assert_int_equal(bks_session_roster(session_of(peer), &roster), BKS_OK);
    return roster;
}

static bks_session_stats stats_of(uint32_t peer)
{
    bks_session_stats stats;
    assert_int_equal(bks_session_get_stats(session_of(peer), &stats), BKS_OK);
    return stats;
}

static uint32_t lowest_of(uint32_t peers)
{
    uint32_t lowest = 0;
    while ((peers >> lowest & 1) == 0)
        lowest++;
    return lowest;
}

/// The state at a peer's newest published tick is that of a straight run in which each leaver ends
/// where the peer says.
static void assert_is_straight(uint32_t index)
{
    bks_roster roster = roster_of(index);
    bks_tick ends[BKS_PLAYERS_MAX];
    for (uint32_t i = 0; i < roster.peers; i++) {
        for (uint32_t p = 0; p < roster.player_count[i]; p++)
            ends[roster.first_player[i] + p] = roster.end[i];
    }
    bks_tick tick = bks_session_published(session_of(index));
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(session_of(index), tick, &hash), BKS_OK);
    assert_true(hash ==
                toy_straight_run_ending(roster.players, tick, network.hold_input_ticks, ends));
}

/// The peers of a mask are in one view, they alone, and go on at full rate.
static void assert_go_on(uint32_t members)
{
    bks_tick before[TOY_PEERS_MAX];
    for (uint32_t i = 0; i < network.peer_count; i++)
        before[i] = bks_session_confirmed(session_of(i));
    run_for(500);
    bks_roster first = roster_of(lowest_of(members));
    for (uint32_t i = 0; i < network.peer_count; i++) {
        if ((members >> i & 1) == 0)
            continue;
        bks_roster roster = roster_of(i);
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_RUNNING);
        assert_true(bks_session_confirmed(session_of(i)) >= before[i] + 25);
        assert_int_equal(roster.view, first.view);
        assert_int_equal(roster.host, lowest_of(members));
        for (uint32_t k = 0; k < network.peer_count; k++) {
            assert_int_equal(roster.is_in[k], members >> k & 1);
            assert_int_equal(roster.end[k], first.end[k]);
        }
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_is_straight(i);
    }
}

// ---- crashes at random moments ----

static uint32_t type_bit(bksi_packet_type type)
{
    return 1u << type;
}

static void freeze(uint32_t peer)
{
    network.peers[peer].is_frozen = true;
}

typedef struct crash_plan {
    uint32_t peers;
    uint32_t crashes;      ///< 1..2
    bool with_host;        ///< the first is the host
    uint32_t apart_ms;     ///< the second comes up to so much later
    uint32_t apart_min_ms; ///< but not earlier
    bool says_goodbye;     ///< the first, instead
    bool is_uneven;        ///< before it, some do not get the first one's last packets
} crash_plan;

static void crash_at_a_random_moment(const crash_plan *plan, uint64_t seed)
{
    begin(plan->peers, seed);
    network.delay_ns = (5 + toy_random(&network, 60)) * TOY_MS;
    network.jitter_ns = toy_random(&network, 20) * TOY_MS;
    network.loss_percent = toy_random(&network, 15);
    network.hold_input_ticks = 1 + toy_random(&network, 5);
    run_until_started();
    toy_run_until(&network, network.now_ns + (500 + toy_random(&network, 2500)) * TOY_MS +
                                toy_random(&network, TOY_MS));
    uint32_t left = (1u << plan->peers) - 1;
    uint32_t victim = plan->with_host ? 0 : toy_random(&network, plan->peers);
    left &= ~(1u << victim);
    if (plan->is_uneven) {
        // Forwarding would make their heads equal before the ballot begins.
        for (uint32_t i = 0; i < plan->peers; i++)
            network.lost_types[i] = type_bit(BKSI_PACKET_FORWARD);
        network.cut[victim] = toy_random(&network, 1u << plan->peers);
        run_for(20 + toy_random(&network, 60));
    }
    if (plan->says_goodbye)
        assert_int_equal(bks_session_leave(session_of(victim)), BKS_OK);
    else
        freeze(victim);
    if (plan->crashes == 2) {
        uint32_t span_us = (plan->apart_ms - plan->apart_min_ms) * 1000;
        toy_run_until(&network, network.now_ns + plan->apart_min_ms * TOY_MS +
                                    toy_random(&network, span_us) * 1000ull);
        do
            victim = toy_random(&network, plan->peers);
        while ((left >> victim & 1) == 0);
        left &= ~(1u << victim);
        freeze(victim);
    }
    run_for(DROP_MS + 2000);
    assert_go_on(left);
    toy_destroy(&network);
}

static void crash_at_random_moments(const crash_plan *plan, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        print_message("\rseed %u ", (uint32_t)seed);
        crash_at_a_random_moment(plan, seed);
    }
    print_message("\n");
}

static void whoever_crashes_the_others_agree_and_go_on(void **context)
{
    (void)context;
    crash_at_random_moments(&(crash_plan){.peers = 3, .crashes = 1}, 100);
    crash_at_random_moments(&(crash_plan){.peers = 4, .crashes = 1}, 100);
}

static void the_host_crashes_and_the_next_takes_over(void **context)
{
    (void)context;
    crash_at_random_moments(&(crash_plan){.peers = 4, .crashes = 1, .with_host = true}, 50);
}

static void two_crash_within_a_round_trip(void **context)
{
    (void)context;
    crash_at_random_moments(&(crash_plan){.peers = 4, .crashes = 2, .apart_ms = 140}, 100);
    crash_at_random_moments(
        &(crash_plan){.peers = 4, .crashes = 2, .apart_ms = 140, .with_host = true}, 50);
}

static void a_second_crashes_in_the_middle_of_the_ballot(void **context)
{
    (void)context;
    crash_plan plan = {
        .peers = 4, .crashes = 2, .apart_min_ms = DROP_MS, .apart_ms = DROP_MS + 700};
    crash_at_random_moments(&plan, 100);
    plan.peers = 5;
    plan.with_host = true;
    crash_at_random_moments(&plan, 50);
}

static void a_second_crashes_in_the_middle_of_a_goodbye(void **context)
{
    (void)context;
    crash_plan plan = {.peers = 4, .crashes = 2, .apart_ms = 250, .says_goodbye = true};
    crash_at_random_moments(&plan, 100);
}

static void some_know_more_of_the_leavers_inputs_than_others(void **context)
{
    (void)context;
    crash_plan plan = {.peers = 4, .crashes = 1, .is_uneven = true};
    crash_at_random_moments(&plan, 100);
    plan.crashes = 2;
    plan.apart_ms = 300;
    crash_at_random_moments(&plan, 100);
    plan.says_goodbye = true;
    crash_at_random_moments(&plan, 100);
}

static void a_goodbye_that_only_some_hear_is_told_the_host(void **context)
{
    (void)context;
    for (uint32_t hearer = 1; hearer < 3; hearer++) {
        begin(4, hearer);
        run_for(2000);
        network.cut[3] = 7 & ~(1u << hearer);
        run_for(300);
        assert_int_equal(bks_session_leave(session_of(3)), BKS_OK);
        run_for(DROP_MS / 2);
        assert_go_on(7);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(network.peers[i].events[BKS_EVENT_LOST], 0);
        toy_destroy(&network);
    }
}

// ---- goodbyes ----

static void after_a_goodbye_the_match_goes_on_at_once(void **context)
{
    (void)context;
    begin(4, 1);
    run_for(3000);
    bks_tick before = bks_session_tick(session_of(1));
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    run_for(500);
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 1);
        assert_int_equal(network.peers[i].last[BKS_EVENT_LEFT].peer, 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LOST], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_STARVED], 0); // not even a stumble
        assert_true(bks_session_tick(session_of(i)) >= before + 28);
        assert_int_equal(stats_of(i).handovers, i == 1 ? 1 : 0);
        assert_int_equal(stats_of(i).views, 1);
    }
    assert_go_on(14);
    // Heard by all, the leaver has nothing more to say.
    assert_int_equal(bks_session_phase(session_of(0)), BKS_PHASE_ENDED);
    assert_true(bks_session_wake(session_of(0)) == UINT64_MAX);
    toy_destroy(&network);
}

static void all_but_one_leave_and_the_last_plays_on_alone(void **context)
{
    (void)context;
    begin(4, 1);
    run_for(2000);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_leave(session_of(i)), BKS_OK);
        run_for(i == 1 ? 20 : 400);
    }
    assert_go_on(8);
    assert_in_range(roster_of(3).view, 2, 3);
    toy_destroy(&network);
}

static void the_leavers_inputs_count_up_to_its_end_and_not_beyond(void **context)
{
    (void)context;
    begin(3, 1);
    run_for(3000);
    assert_int_equal(bks_session_leave(session_of(2)), BKS_OK);
    run_for(1000);
    bks_tick end = roster_of(0).end[2];
    int32_t inputs[6];
    assert_int_equal(bks_session_inputs(session_of(0), end - 1, inputs), BKS_OK);
    assert_int_equal(inputs[4], toy_input(2, end - 1, network.hold_input_ticks));
    for (bks_tick tick = end; tick < bks_session_tick(session_of(0)) + 60; tick++) {
        assert_int_equal(bks_session_inputs(session_of(0), tick, inputs), BKS_OK);
        assert_int_equal(inputs[4], 0);
    }
    toy_destroy(&network);
}

static void a_match_with_an_end_ends_for_those_who_are_left(void **context)
{
    (void)context;
    for (uint64_t at_ms = 9300; at_ms < 10700; at_ms += 40) {
        tuned_ticks = 600;
        toy_create(&network, 4, at_ms, tune);
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 5;
        toy_run_until(&network, at_ms * TOY_MS);
        freeze(at_ms / 40 % 4);
        run_for(6000);
        for (uint32_t i = 0; i < 4; i++) {
            if (network.peers[i].is_frozen)
                continue;
            assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
            assert_int_equal(network.peers[i].events[BKS_EVENT_ENDED], 1);
            assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
            assert_is_straight(i);
        }
        toy_destroy(&network);
    }
}

// ---- commits that reach not everybody ----

/// At the very end nobody goes while one still has to learn where the leaver ended.
static void nobody_ends_before_all_are_in_the_last_view(void **context)
{
    (void)context;
    tuned_ticks = 600;
    toy_create(&network, 4, 1, tune);
    for (uint32_t i = 0; i < 4; i++)
        network.lost_types[i] = type_bit(BKSI_PACKET_FORWARD);
    while (bks_session_tick(session_of(1)) < 590)
        run_for(1);
    network.cut[0] = 1u << 3;
    run_for(60);
    freeze(0);
    for (uint32_t i = 1; i < 3; i++)
        network.lost_types[i] |= type_bit(BKSI_PACKET_COMMIT);
    run_for(DROP_MS + 1000);
    assert_int_equal(roster_of(1).view, 1);
    assert_int_equal(roster_of(3).view, 0);
    assert_int_equal(bks_session_published(session_of(1)), 600);
    for (uint32_t i = 1; i < 3; i++)
        network.lost_types[i] = 0;
    run_for(500);
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
        assert_int_equal(roster_of(i).end[0], roster_of(1).end[0]);
        assert_is_straight(i);
    }
    toy_destroy(&network);
}

static void who_lives_but_never_answers_goes_too(void **context)
{
    (void)context;
    begin(4, 1);
    run_for(2000);
    freeze(0);
    network.lost_types[3] = type_bit(BKSI_PACKET_ANSWER);
    run_for(DROP_MS + 500);
    assert_int_equal(roster_of(1).view, 0);
    run_for(DROP_MS + 1500);
    assert_go_on(6);
    assert_int_equal(bks_session_phase(session_of(3)), BKS_PHASE_FAILED);
    toy_destroy(&network);
}

/// Freeze `victim`; returns once the proposer is in the next view, with its packets still under
/// way.
static void until_decided(uint32_t victim, uint32_t proposer)
{
    freeze(victim);
    for (uint32_t ms = 0; roster_of(proposer).view == 0; ms++) {
        assert_true(ms < 5000);
        run_for(1);
    }
}

static void a_commit_that_reached_one_is_passed_on_when_the_proposer_crashes(void **context)
{
    (void)context;
    for (uint32_t hearer = 2; hearer < 4; hearer++) {
        begin(4, 5);
        run_for(2000);
        network.loss_percent = 5;
        until_decided(0, 1);
        network.cut[1] = 1u << (5 - hearer);
        for (uint32_t ms = 0; roster_of(hearer).view == 0; ms++) {
            assert_true(ms < 1000);
            run_for(1);
        }
        freeze(1);
        bks_tick end = roster_of(1).end[0];
        assert_int_equal(roster_of(5 - hearer).view, 0);
        run_for(DROP_MS + 2000);
        assert_go_on(12);
        assert_int_equal(roster_of(2).view, 2);
        assert_int_equal(roster_of(2).end[0], end);
        toy_destroy(&network);
    }
}

static void a_commit_that_reached_nobody_is_no_view(void **context)
{
    (void)context;
    begin(4, 6);
    run_for(2000);
    until_decided(0, 1);
    network.cut[1] = 15;
    freeze(1);
    run_for(DROP_MS + 2000);
    assert_go_on(12);
    assert_int_equal(roster_of(2).view, 1);
    toy_destroy(&network);
}

/// The only one that decided is cut off instead, and comes back.
static void who_decided_alone_learns_that_the_others_went_on(void **context)
{
    (void)context;
    begin(4, 6);
    run_for(2000);
    until_decided(0, 1);
    for (uint32_t i = 2; i < 4; i++)
        toy_cut(&network, 1, i, true);
    run_for(DROP_MS / 2);
    run_for(DROP_MS + 1000);
    assert_go_on(12);
    for (uint32_t i = 2; i < 4; i++)
        toy_cut(&network, 1, i, false);
    run_for(1500);
    assert_int_equal(bks_session_phase(session_of(1)), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DROPPED], 1);
    assert_go_on(12);
    toy_destroy(&network);
}

static bool has_four_seats(uint32_t peer)
{
    return peer == 3;
}

static void tune_long(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->window_ticks = 64;
    config->delay_ticks = 200;
    config->players = 7;
    config->local_players = has_four_seats(peer) ? 4 : 1;
}

/// One member has far more of the leaver's inputs than the others: they do not fit one packet.
static void long_inputs_of_a_leaver_travel_in_several_packets(void **context)
{
    (void)context;
    tuned_ticks = 0;
    toy_create(&network, 4, 2, tune_long);
    network.hold_input_ticks = 1;
    run_for(3000);
    for (uint32_t i = 0; i < 2; i++) {
        toy_cut(&network, i, 2, true);
        toy_cut(&network, i, 3, true);
    }
    run_for(600);
    freeze(3);
    for (uint32_t i = 0; i < 2; i++)
        toy_cut(&network, i, 2, false);
    // Nobody forwards what the others may not see: they get it with the commit.
    run_for(DROP_MS + 3000);
    assert_go_on(7);
    toy_destroy(&network);
}

// ---- splits ----

static void cut_sides(uint32_t side, bool is_cut)
{
    for (uint32_t a = 0; a < network.peer_count; a++) {
        for (uint32_t b = a + 1; b < network.peer_count; b++) {
            if ((side >> a & 1) != (side >> b & 1))
                toy_cut(&network, a, b, is_cut);
        }
    }
}

static void split_and_meet(uint32_t peers, uint32_t stays, uint64_t seed)
{
    uint32_t goes = ((1u << peers) - 1) & ~stays;
    begin(peers, seed);
    network.jitter_ns = 10 * TOY_MS;
    network.loss_percent = 5;
    run_for(2000);
    cut_sides(stays, true);
    run_for(DROP_MS + 2000);
    assert_go_on(stays);
    assert_go_on(goes);
    cut_sides(stays, false);
    run_for(3000);
    assert_go_on(stays);
    for (uint32_t i = 0; i < peers; i++) {
        if ((goes >> i & 1) == 0)
            continue;
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_FAILED);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DROPPED], 1);
        assert_true(bks_session_wake(session_of(i)) == UINT64_MAX);
    }
    toy_destroy(&network);
}

static void when_split_sides_meet_the_smaller_ends(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        split_and_meet(5, 0x7, seed);
        split_and_meet(5, 0x1c, seed);
        split_and_meet(3, 0x6, seed);
    }
}

static void on_a_tie_the_side_of_the_lowest_stays(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        split_and_meet(4, 0x3, seed);
        split_and_meet(4, 0x9, seed);
        split_and_meet(2, 0x1, seed);
    }
}

/// A split that ends at any moment around the ballots leaves one view, or two sides of which one
/// has ended.
static void a_split_that_ends_in_the_middle_of_the_ballots_settles(void **context)
{
    (void)context;
    uint32_t whole = 0;
    uint32_t parted = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint32_t peers = 3 + (uint32_t)(seed % 3);
        begin(peers, seed);
        network.jitter_ns = 10 * TOY_MS;
        network.loss_percent = 5;
        run_for(2000);
        cut_sides(1 + toy_random(&network, (1u << peers) - 2), true);
        run_for(DROP_MS - 150 + toy_random(&network, 500));
        for (uint32_t i = 0; i < peers; i++)
            network.cut[i] = 0;
        run_for(2 * DROP_MS + 4000);
        uint32_t running = 0;
        for (uint32_t i = 0; i < peers; i++) {
            if (bks_session_phase(session_of(i)) == BKS_PHASE_RUNNING)
                running |= 1u << i;
        }
        assert_true(running != 0);
        assert_go_on(running);
        whole += running == (1u << peers) - 1;
        parted += running != (1u << peers) - 1;
        toy_destroy(&network);
    }
    print_message("%u came together again, %u did not\n", whole, parted);
    assert_true(whole > 10);
    assert_true(parted > 10);
}

// ---- who was not there for a while ----

static void who_sleeps_too_long_is_told_when_it_wakes(void **context)
{
    (void)context;
    for (uint32_t sleeper = 0; sleeper < 3; sleeper++) {
        begin(3, 3);
        run_for(2000);
        freeze(sleeper);
        run_for(DROP_MS + 1000);
        network.peers[sleeper].is_frozen = false;
        run_for(400);
        assert_int_equal(bks_session_phase(session_of(sleeper)), BKS_PHASE_FAILED);
        assert_int_equal(network.peers[sleeper].events[BKS_EVENT_DROPPED], 1);
        assert_int_equal(network.peers[sleeper].events[BKS_EVENT_LOST], 0);
        assert_go_on(7 & ~(1u << sleeper));
        toy_destroy(&network);
    }
}

static void when_all_sleep_nobody_is_dropped(void **context)
{
    (void)context;
    begin(3, 3);
    run_for(2000);
    for (uint32_t i = 0; i < 3; i++)
        freeze(i);
    run_for(20000);
    for (uint32_t i = 0; i < 3; i++)
        network.peers[i].is_frozen = false;
    run_for(1000);
    assert_go_on(7);
    toy_destroy(&network);
}

static void a_pair_that_is_cut_agrees_through_the_third_when_a_fourth_crashes(void **context)
{
    (void)context;
    for (uint32_t a = 0; a < 3; a++) {
        begin(4, 3);
        network.loss_percent = 5;
        run_for(2000);
        toy_cut(&network, a, (a + 1) % 3, true);
        run_for(1000);
        freeze(3);
        run_for(DROP_MS + 2000);
        assert_go_on(7);
        toy_destroy(&network);
    }
}

// ---- chains: each hears but its neighbours ----

/// Peers 0..count-1 in this order hear only those beside them.
static void chain(const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 2; k < count; k++)
            toy_cut(&network, order[i], order[k], true);
    }
}

static const uint32_t chains[][6] = {
    {0, 1, 2, 3, 4, 5}, {0, 2, 4, 5, 3, 1}, {3, 0, 4, 2, 5, 1}, {5, 2, 0, 1, 4, 3}};

static void tune_wide(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->window_ticks = 40; // inputs come a long way
}

static void begin_chain(const uint32_t *order, uint32_t count, uint32_t peers, uint64_t seed)
{
    tuned_ticks = 0;
    toy_create(&network, peers, seed, tune_wide);
    network.delay_ns = 15 * TOY_MS;
    network.loss_percent = 2;
    run_until_started();
    run_for(1000);
    chain(order, count);
}

static void in_a_chain_of_six_nobody_is_dropped(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        begin_chain(chains[i], 6, 6, i + 1);
        run_for(4 * DROP_MS);
        for (uint32_t k = 0; k < 6; k++)
            assert_int_equal(network.peers[k].events[BKS_EVENT_LOST], 0);
        assert_go_on(63);
        toy_destroy(&network);
    }
}

/// While all wait for one that crashed nobody's inputs move, so the ends of the chain have no word
/// of each other but by way of the others. Then they must all agree on its end.
static void a_chain_that_waits_for_one_who_crashed_stays_together(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        begin_chain(chains[i], 6, 7, i + 1);
        run_for(500);
        freeze(6);
        run_for(DROP_MS + 2000);
        for (uint32_t k = 0; k < 6; k++)
            assert_int_equal(network.peers[k].events[BKS_EVENT_LOST], 1);
        assert_go_on(63);
        assert_int_equal(roster_of(0).view, 1);
        toy_destroy(&network);
    }
}

static void when_the_chain_breaks_both_pieces_go_on(void **context)
{
    (void)context;
    begin_chain(chains[0], 6, 6, 1);
    run_for(500);
    freeze(2);
    run_for(DROP_MS + 2500);
    assert_go_on(3);
    assert_go_on(56);
    toy_destroy(&network);
}

// ---- the end ----

/// One that has everything must not go while another still lacks inputs of a third, who crashes.
static void nobody_ends_before_all_have_everything(void **context)
{
    (void)context;
    uint32_t late = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        tuned_ticks = 600;
        toy_create(&network, 3, seed, tune);
        network.delay_ns = (10 + toy_random(&network, 60)) * TOY_MS;
        bks_tick at = 585 + (bks_tick)toy_random(&network, 15);
        while (bks_session_tick(session_of(1)) < at)
            run_for(1);
        network.cut[1] = 1u << 0; // its last inputs reach peer 2 alone
        while (bks_session_published(session_of(2)) < 600 &&
               bks_session_phase(session_of(2)) == BKS_PHASE_RUNNING &&
               bks_session_tick(session_of(2)) < 600)
            run_for(1);
        run_for(toy_random(&network, 150));
        late += bks_session_published(session_of(0)) < 600;
        freeze(1);
        run_for(DROP_MS + 2000);
        uint64_t hashes[3] = {0};
        for (uint32_t i = 0; i < 3; i += 2) {
            assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
            assert_int_equal(bks_session_hash(session_of(i), 600, &hashes[i]), BKS_OK);
        }
        assert_true(hashes[0] == hashes[2]);
        assert_int_equal(roster_of(0).view, roster_of(2).view);
        toy_destroy(&network);
    }
    print_message("%u of 40 crashed before all had everything\n", late);
    assert_in_range(late, 10, 40);
}

/// An outage is survived at the end as well as in the middle, when others have everything already.
static void who_is_silent_at_the_end_is_waited_for(void **context)
{
    (void)context;
    tuned_ticks = 600;
    toy_create(&network, 3, 1, tune);
    while (bks_session_tick(session_of(0)) < 597)
        run_for(1);
    network.cut[0] = network.cut[1] = 1u << 2;
    while (bks_session_published(session_of(0)) < 600)
        run_for(1);
    network.cut[2] = 3;
    run_for(DROP_MS - 200);
    network.cut[0] = network.cut[1] = network.cut[2] = 0;
    assert_true(bks_session_published(session_of(2)) < 600);
    run_for(700);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
        assert_int_equal(roster_of(i).view, 0);
        assert_is_straight(i);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_crashes_the_others_agree_and_go_on),
        cmocka_unit_test(the_host_crashes_and_the_next_takes_over),
        cmocka_unit_test(two_crash_within_a_round_trip),
        cmocka_unit_test(a_second_crashes_in_the_middle_of_the_ballot),
        cmocka_unit_test(a_second_crashes_in_the_middle_of_a_goodbye),
        cmocka_unit_test(some_know_more_of_the_leavers_inputs_than_others),
        cmocka_unit_test(a_goodbye_that_only_some_hear_is_told_the_host),
        cmocka_unit_test(after_a_goodbye_the_match_goes_on_at_once),
        cmocka_unit_test(all_but_one_leave_and_the_last_plays_on_alone),
        cmocka_unit_test(the_leavers_inputs_count_up_to_its_end_and_not_beyond),
        cmocka_unit_test(a_match_with_an_end_ends_for_those_who_are_left),
        cmocka_unit_test(nobody_ends_before_all_are_in_the_last_view),
        cmocka_unit_test(who_lives_but_never_answers_goes_too),
        cmocka_unit_test(a_commit_that_reached_one_is_passed_on_when_the_proposer_crashes),
        cmocka_unit_test(a_commit_that_reached_nobody_is_no_view),
        cmocka_unit_test(who_decided_alone_learns_that_the_others_went_on),
        cmocka_unit_test(long_inputs_of_a_leaver_travel_in_several_packets),
        cmocka_unit_test(when_split_sides_meet_the_smaller_ends),
        cmocka_unit_test(on_a_tie_the_side_of_the_lowest_stays),
        cmocka_unit_test(a_split_that_ends_in_the_middle_of_the_ballots_settles),
        cmocka_unit_test(who_sleeps_too_long_is_told_when_it_wakes),
        cmocka_unit_test(when_all_sleep_nobody_is_dropped),
        cmocka_unit_test(in_a_chain_of_six_nobody_is_dropped),
        cmocka_unit_test(a_chain_that_waits_for_one_who_crashed_stays_together),
        cmocka_unit_test(when_the_chain_breaks_both_pieces_go_on),
        cmocka_unit_test(nobody_ends_before_all_have_everything),
        cmocka_unit_test(who_is_silent_at_the_end_is_waited_for),
        cmocka_unit_test(a_pair_that_is_cut_agrees_through_the_third_when_a_fourth_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
