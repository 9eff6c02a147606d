// SPDX-License-Identifier: MIT

// The members of the match: crashes and goodbyes. The remaining peers agree on where each leaver
// ends and play on.

#include <string.h>

#include "session/inside.h"
#include "session/some_views.h"
#include "support/catch_log.h"
#include "support/seed.h"
#include "wire/carried.h"

/// By sender: bits of the sub-types of VIEW that get lost.
static uint32_t lost_views[TOY_PEERS_MAX];

static bool is_lost_view(uint32_t from, uint32_t type, const uint8_t *body)
{
    return type == BKSI_PACKET_VIEW && (lost_views[from] >> body[0] & 1) != 0;
}

/// Return true if a carried packet is a VIEW that its origin loses.
static bool has_lost_view(const toy_network *on, const bksi_carried_piece *piece)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    bksi_routed routed;
    if (!bksi_routed_read(piece->route, (1u << on->peer_count) - 1, &routed)) {
        return false;
    }
    const bks_session *target = on->peers[routed.target].session;
    const uint32_t type = inside_read(target, piece->bytes, piece->count, body, &body_bytes);
    return is_lost_view(routed.origin, type, body);
}

/// Return true if a packet holds a lost VIEW: alone, or in a CARRIED as the sender's own message or
/// a carried packet. All other CARRIED arrive, because a peer that carries packets for others sends
/// many of its own messages in them.
static bool loses_views(const toy_network *on, uint32_t from, uint32_t to, const uint8_t *bytes,
                        size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t body_bytes = 0;
    const uint32_t type = inside_read(on->peers[to].session, bytes, count, body, &body_bytes);
    if (type != BKSI_PACKET_CARRIED) {
        return is_lost_view(from, type, body);
    }
    bksi_byte_reader reader = bksi_byte_reader_over(body, body_bytes);
    bksi_carried_piece piece;
    while (bksi_carried_read(&reader, &piece)) {
        if (piece.is_own ? is_lost_view(from, piece.type, piece.bytes)
                         : has_lost_view(on, &piece)) {
            return true;
        }
    }
    return false;
}

/// One type of VIEW of a peer gets lost from now on.
static void lose_view(uint32_t from, bksi_view_type type)
{
    network.loses = loses_views;
    lost_views[from] = 1u << type;
}

static void lose_no_views(void)
{
    memset(lost_views, 0, sizeof(lost_views));
}

// ---- crashes at random moments ----

typedef struct crash_plan {
    uint32_t peers;
    uint32_t crashes;      ///< 1..2
    bool with_host;        ///< the first is the host
    uint32_t apart_ms;     ///< by how much the second comes later, at most
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
        network.cut[victim] = toy_random(&network, 1u << plan->peers);
        run_for(20 + toy_random(&network, 60));
    }
    if (plan->says_goodbye) {
        assert_int_equal(bks_session_leave(session_of(victim)), BKS_OK);
    } else {
        freeze(victim);
    }
    if (plan->crashes == 2) {
        uint32_t span_us = (plan->apart_ms - plan->apart_min_ms) * 1000;
        toy_run_until(&network, network.now_ns + plan->apart_min_ms * TOY_MS +
                                    toy_random(&network, span_us) * 1000ull);
        do {
            victim = toy_random(&network, plan->peers);
        } while ((left >> victim & 1) == 0);
        left &= ~(1u << victim);
        freeze(victim);
    }
    run_for(DROP_MS + 2000);
    assert_play_on(left);
    toy_destroy(&network);
}

static void crash_at_random_moments(const crash_plan *plan, uint32_t seeds)
{
    for (uint64_t seed = 1; seed <= seed_rounds(seeds); seed++) {
        print_message("\rseed %u ", (uint32_t)seed);
        crash_at_a_random_moment(plan, seed);
    }
    print_message("\n");
}

static void after_any_crash_the_others_agree_and_play_on(void **context)
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

static void a_goodbye_that_only_some_hear_comes_to_the_host_by_them(void **context)
{
    (void)context;
    for (uint32_t hearer = 1; hearer < 3; hearer++) {
        begin(4, hearer);
        run_for(2000);
        network.cut[3] = 7 & ~(1u << hearer);
        run_for(300);
        assert_int_equal(bks_session_leave(session_of(3)), BKS_OK);
        run_for(DROP_MS / 2);
        assert_play_on(7);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(network.peers[i].events[BKS_EVENT_LOST], 0);
        }
        toy_destroy(&network);
    }
}

// ---- goodbyes ----

static void after_a_goodbye_the_match_continues_at_once(void **context)
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
    assert_play_on(14);
    // Heard by all, the leaver has nothing more to say.
    assert_int_equal(bks_session_phase(session_of(0)), BKS_PHASE_ENDED);
    assert_true(bks_session_wake(session_of(0)) == UINT64_MAX);
    toy_destroy(&network);
}

/// Each event of a crash is one sentence of its own, and the log has one of them.
static void a_crash_is_said_once_by_each_event_and_the_log(void **context)
{
    (void)context;
    begin(2, 1);
    run_for(2000);
    catch_log log;
    catch_log_begin(&log);
    freeze(1);
    run_for(DROP_MS + 2000);
    bks_log_clear_sink();
    const bks_event *last = network.peers[0].last;
    char text[128];
    assert_string_equal(last[BKS_EVENT_LOST].text,
                        "nothing heard from peer 1 for 1200 ms, it is about to be dropped");
    (void)snprintf(text, sizeof(text),
                   "peer 1 fell silent and is out at tick %d, the match continues",
                   (int)last[BKS_EVENT_LEFT].tick);
    assert_string_equal(last[BKS_EVENT_LEFT].text, text);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, BKS_LOG_WARNING);
    assert_string_equal(log.text, text);
    (void)snprintf(text, sizeof(text), "the match continues without peer 1 at tick %d",
                   (int)last[BKS_EVENT_RESUMED].tick);
    assert_string_equal(last[BKS_EVENT_RESUMED].text, text);
    assert_int_equal(last[BKS_EVENT_RESUMED].peer, 1);
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
    assert_play_on(8);
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

/// One of four crashes near the end of a match of ten seconds: the others end.
static void crash_near_the_end(uint64_t at_ms)
{
    tuned_ticks = 600;
    toy_create(&network, 4, at_ms, tune);
    network.jitter_ns = 20 * TOY_MS;
    network.loss_percent = 5;
    toy_run_until(&network, at_ms * TOY_MS);
    freeze(at_ms / 7 % 4);
    run_for(6000);
    for (uint32_t i = 0; i < 4; i++) {
        if (network.peers[i].is_frozen) {
            continue;
        }
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
        assert_int_equal(network.peers[i].events[BKS_EVENT_ENDED], 1);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_is_straight(i);
    }
    toy_destroy(&network);
}

static void a_match_with_an_end_ends_for_the_remaining_peers(void **context)
{
    (void)context;
    for (uint64_t at_ms = 9314; at_ms < 10700; at_ms += 28) {
        crash_near_the_end(at_ms);
    }
    // Here some have the last inputs of the one that crashes and others not.
    for (uint64_t at_ms = 10500; at_ms < 10600; at_ms++) {
        crash_near_the_end(at_ms);
    }
}

// ---- commits that do not reach all ----

/// At the very end no peer goes while one still has to learn where the leaver ended.
static void no_peer_ends_before_all_are_in_the_last_view(void **context)
{
    (void)context;
    tuned_ticks = 600;
    toy_create(&network, 4, 1, tune);
    while (bks_session_tick(session_of(1)) < 590) {
        run_for(1);
    }
    network.cut[0] = 1u << 3;
    run_for(60);
    freeze(0);
    for (uint32_t i = 1; i < 3; i++) {
        lose_view(i, BKSI_VIEW_COMMIT);
    }
    run_for(DROP_MS + 1000);
    assert_int_equal(roster_of(1).view, 1);
    assert_int_equal(roster_of(3).view, 0);
    assert_int_equal(bks_session_published(session_of(1)), 600);
    lose_no_views();
    run_for(500);
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_ENDED);
        assert_int_equal(roster_of(i).end[0], roster_of(1).end[0]);
        assert_is_straight(i);
    }
    toy_destroy(&network);
}

static void a_live_peer_that_never_answers_goes_too(void **context)
{
    (void)context;
    begin(4, 1);
    run_for(2000);
    freeze(0);
    lose_view(3, BKSI_VIEW_ANSWER);
    run_for(DROP_MS + 500);
    assert_int_equal(roster_of(1).view, 0);
    run_for(DROP_MS + 1500);
    assert_play_on(6);
    assert_int_equal(bks_session_phase(session_of(3)), BKS_PHASE_FAILED);
    lose_no_views();
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
        assert_play_on(12);
        assert_int_equal(roster_of(2).view, 2);
        assert_int_equal(roster_of(2).end[0], end);
        toy_destroy(&network);
    }
}

static void a_commit_that_reached_no_one_is_no_view(void **context)
{
    (void)context;
    begin(4, 6);
    run_for(2000);
    until_decided(0, 1);
    network.cut[1] = 15;
    freeze(1);
    run_for(DROP_MS + 2000);
    assert_play_on(12);
    assert_int_equal(roster_of(2).view, 1);
    toy_destroy(&network);
}

/// The peer was in the view after, but did not hear of it before it slept.
static void a_sleeping_peer_that_missed_a_view_is_out_with_the_next(void **context)
{
    (void)context;
    begin(4, 5);
    run_for(2000);
    lose_view(1, BKSI_VIEW_COMMIT);
    until_decided(0, 1);
    freeze(3);
    lose_no_views();
    assert_int_equal(roster_of(3).view, 0);
    run_for(DROP_MS + 1000);
    assert_int_equal(roster_of(1).view, 2);
    network.peers[3].is_frozen = false;
    run_for(200);
    assert_int_equal(bks_session_phase(session_of(3)), BKS_PHASE_FAILED);
    assert_play_on(6);
    toy_destroy(&network);
}

/// The only one that decided is cut off instead, and comes back.
static void a_peer_that_decided_alone_learns_that_the_others_played_on(void **context)
{
    (void)context;
    begin(4, 6);
    run_for(2000);
    until_decided(0, 1);
    for (uint32_t i = 2; i < 4; i++) {
        toy_cut(&network, 1, i, true);
    }
    run_for(DROP_MS / 2);
    run_for(DROP_MS + 1000);
    assert_play_on(12);
    for (uint32_t i = 2; i < 4; i++) {
        toy_cut(&network, 1, i, false);
    }
    run_for(1500);
    assert_int_equal(bks_session_phase(session_of(1)), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[1].events[BKS_EVENT_DROPPED], 1);
    assert_play_on(12);
    toy_destroy(&network);
}

static bool has_four_seats(uint32_t peer)
{
    return peer == 3;
}

static void tune_long(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->tuning.window_ticks = 64;
    config->tuning.delay_ticks = 200;
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
    for (uint32_t i = 0; i < 2; i++) {
        toy_cut(&network, i, 2, false);
    }
    // The others get it with the commit.
    run_for(DROP_MS + 3000);
    assert_play_on(7);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_crash_the_others_agree_and_play_on),
        cmocka_unit_test(the_host_crashes_and_the_next_takes_over),
        cmocka_unit_test(two_crash_within_a_round_trip),
        cmocka_unit_test(a_second_crashes_in_the_middle_of_the_ballot),
        cmocka_unit_test(a_second_crashes_in_the_middle_of_a_goodbye),
        cmocka_unit_test(some_know_more_of_the_leavers_inputs_than_others),
        cmocka_unit_test(a_goodbye_that_only_some_hear_comes_to_the_host_by_them),
        cmocka_unit_test(after_a_goodbye_the_match_continues_at_once),
        cmocka_unit_test(a_crash_is_said_once_by_each_event_and_the_log),
        cmocka_unit_test(all_but_one_leave_and_the_last_plays_on_alone),
        cmocka_unit_test(the_leavers_inputs_count_up_to_its_end_and_not_beyond),
        cmocka_unit_test(a_match_with_an_end_ends_for_the_remaining_peers),
        cmocka_unit_test(no_peer_ends_before_all_are_in_the_last_view),
        cmocka_unit_test(a_live_peer_that_never_answers_goes_too),
        cmocka_unit_test(a_commit_that_reached_one_is_passed_on_when_the_proposer_crashes),
        cmocka_unit_test(a_commit_that_reached_no_one_is_no_view),
        cmocka_unit_test(a_sleeping_peer_that_missed_a_view_is_out_with_the_next),
        cmocka_unit_test(a_peer_that_decided_alone_learns_that_the_others_played_on),
        cmocka_unit_test(long_inputs_of_a_leaver_travel_in_several_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
