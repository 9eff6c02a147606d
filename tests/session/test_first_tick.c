// SPDX-License-Identifier: MIT

// Matches that begin at any tick, of peers with any numbers. Peers of the network go by places, 0
// to 2; their numbers are 0, 2 and 5.

#include <string.h>

#include "session/inside.h"
#include "session/inspect.h"
#include "session/some_views.h"

#define PEERS 3u
#define TICKS 300

static const uint32_t numbers[PEERS] = {0, 2, 5};
/// The second last is no multiple of a window, a ring or a second; the hashes of lockstep are.
static const bks_tick first_ticks[] = {1, 1000, 4000, 6001};

static bks_tick tuned_first;
static uint32_t tuned_window;
static uint32_t tuned_delay;

static void tune_first(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->first_tick = peer == 0 ? tuned_first : 77; // a guest's does not count
    config->tuning.window_ticks = tuned_window;
    config->tuning.delay_ticks = tuned_delay;
}

static void create(bks_tick first, uint32_t window, uint32_t delay, bks_tick ticks)
{
    tuned_first = first;
    tuned_window = window;
    tuned_delay = delay;
    tuned_ticks = ticks;
    toy_create(&network, PEERS, (uint64_t)first, tune_first);
    for (uint32_t i = 1; i < PEERS; i++) {
        bksi_inspect_reserve(session_of(0), i, numbers[i]);
    }
    network.jitter_ns = 10 * TOY_MS;
    network.loss_percent = 5;
}

/// Rollback and lockstep, from each of the ticks.
static void for_each(void (*check)(bks_tick first, uint32_t window))
{
    for (size_t i = 0; i < sizeof(first_ticks) / sizeof(first_ticks[0]); i++) {
        print_message("from tick %d on\n", first_ticks[i]);
        check(first_ticks[i], 20);
        check(first_ticks[i], 0);
    }
}

/// Peers of the places in a mask play on in one view, they alone.
static void assert_members(uint32_t places)
{
    bks_tick before[PEERS];
    for (uint32_t i = 0; i < PEERS; i++) {
        before[i] = bks_session_confirmed(session_of(i));
    }
    run_for(500);
    for (uint32_t i = 0; i < PEERS; i++) {
        if ((places >> i & 1) == 0) {
            continue;
        }
        const bks_roster roster = roster_of(i);
        assert_int_equal(phase_of(i), BKS_PHASE_RUNNING);
        assert_true(bks_session_confirmed(session_of(i)) >= before[i] + 20);
        assert_int_equal(roster.host, numbers[lowest_of(places)]);
        for (uint32_t k = 0; k < PEERS; k++) {
            const uint32_t number = numbers[k];
            assert_int_equal(roster.is_in[number], places >> k & 1);
            assert_int_equal(roster.end[number], roster_of(lowest_of(places)).end[number]);
        }
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_is_straight(i);
    }
}

// ---- to the end ----

static void play_to_the_end(bks_tick first, uint32_t window)
{
    create(first, window, window > 0 ? 2 : 8, TICKS);
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    const bks_tick end = first + TICKS;
    const uint64_t wanted =
        toy_straight_run_from(PEERS, first, end, network.hold_input_ticks, NULL);
    for (uint32_t i = 0; i < PEERS; i++) {
        const toy_peer *peer = &network.peers[i];
        const bks_roster roster = roster_of(i);
        assert_int_equal(roster.self, numbers[i]);
        assert_int_equal(roster.peers, 6);
        assert_int_equal(roster.first_tick, first);
        assert_int_equal(roster.ticks, TICKS);
        for (uint32_t number = 0; number < BKS_PEERS_MAX; number++) {
            const bool is_there = number == 0 || number == 2 || number == 5;
            assert_int_equal(roster.player_count[number], is_there);
            assert_int_equal(roster.is_in[number], is_there);
        }
        assert_int_equal(peer->last[BKS_EVENT_STARTED].tick, first);
        assert_int_equal(peer->last[BKS_EVENT_ENDED].tick, end);
        assert_int_equal(peer->events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(bks_session_tick(session_of(i)), end);
        assert_int_equal(bks_session_published(session_of(i)), end);
        assert_true(peer->published[end] == wanted);
        for (bks_tick tick = 0; tick < TOY_TICKS_MAX; tick++) {
            const bool is_played = tick >= first && tick < end;
            assert_int_equal(peer->sample_count[tick], is_played);
            assert_int_equal(peer->step_count[tick] > 0, is_played);
        }
        const bks_stats stats = stats_of(i);
        assert_int_equal(stats.link_count, 6);
        assert_true(window == 0 || stats.rollbacks > 10);
        assert_true(stats.starved_ticks < 60);
    }
    toy_destroy(&network);
}

static void every_tick_from_the_first_on_is_sampled_stepped_and_hashed(void **context)
{
    (void)context;
    for_each(play_to_the_end);
}

static void check_bounds(bks_tick first, uint32_t window)
{
    create(first, window, 8, 0);
    run_until_started();
    for (uint32_t i = 0; i < PEERS; i++) {
        assert_true(bks_session_published(session_of(i)) >= first);
    }
    run_for(2000);
    for (uint32_t i = 0; i < PEERS; i++) {
        uint64_t hash = 0;
        int32_t inputs[2 * PEERS];
        // In lockstep only one tick in a second has a hash, and the first.
        assert_int_equal(network.peers[i].published[first], 1);
        assert_true(bks_session_published(session_of(i)) > first);
        assert_int_equal(bks_session_hash(session_of(i), first, &hash), BKS_OK);
        assert_int_equal(bks_session_hash(session_of(i), first - 1, &hash), BKS_ERR_BAD_ARGUMENT);
        assert_int_equal(bks_session_inputs(session_of(i), first, inputs), BKS_OK);
        assert_int_equal(inputs[4], toy_input(2, first, network.hold_input_ticks));
        assert_int_equal(bks_session_inputs(session_of(i), first - 1, inputs),
                         BKS_ERR_BAD_ARGUMENT);
    }
    toy_destroy(&network);
}

static void nothing_lies_before_the_first_tick(void **context)
{
    (void)context;
    for_each(check_bounds);
}

// ---- differences ----

static void differ_later(bks_tick first, uint32_t window)
{
    if (window == 0) {
        return; // few ticks have hashes
    }
    create(first, window, 2, TICKS);
    network.peers[1].flip_tick = first + 40;
    run_for(3000);
    for (uint32_t i = 0; i < PEERS; i++) {
        const bks_event *event = &network.peers[i].last[BKS_EVENT_DESYNC];
        assert_true(network.peers[i].events[BKS_EVENT_DESYNC] > 0);
        assert_int_equal(event->tick, first + 40);
        assert_false(event->inputs_differ);
    }
    assert_int_equal(network.peers[0].desynced_from, 1u << 2);
    toy_destroy(&network);
}

static void a_difference_is_named_by_its_tick_and_the_peers_number(void **context)
{
    (void)context;
    for_each(differ_later);
}

static void states_of_the_first_tick_that_differ_start_nothing(void **context)
{
    (void)context;
    create(1000, 20, 2, TICKS);
    network.peers[2].skew = 1;
    run_for(3000);
    for (uint32_t i = 0; i < PEERS; i++) {
        const bks_event *event = &network.peers[i].last[BKS_EVENT_REFUSED];
        assert_int_equal(phase_of(i), BKS_PHASE_FAILED);
        assert_int_equal(event->tick, 1000);
        assert_int_equal(event->peer, 5);
        assert_non_null(strstr(event->text, "the states of tick 1000 differ: peer 5"));
    }
    toy_destroy(&network);
}

// ---- leavers ----

static void leave_in_the_middle(bks_tick first, uint32_t window)
{
    create(first, window, 8, 0);
    run_for(2000);
    assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
    run_for(1500);
    assert_members(5);
    const bks_tick end = roster_of(0).end[2];
    assert_in_range(end, first + 60, first + 150);
    int32_t inputs[2 * PEERS];
    assert_int_equal(bks_session_inputs(session_of(2), end - 1, inputs), BKS_OK);
    assert_int_equal(inputs[2], toy_input(1, end - 1, network.hold_input_ticks));
    assert_int_equal(bks_session_inputs(session_of(2), end, inputs), BKS_OK);
    assert_int_equal(inputs[2], 0);
    freeze(0);
    run_for(DROP_MS + 1500);
    assert_members(4);
    assert_int_equal(roster_of(2).view, 2);
    toy_destroy(&network);
}

static void leavers_end_and_the_others_play_on(void **context)
{
    (void)context;
    for_each(leave_in_the_middle);
}

/// The peer has started, and nothing of it arrives.
static void leave_before_anything(bks_tick first, uint32_t window)
{
    create(first, window, 4, 0);
    network.loss_percent = 0;
    while (phase_of(2) != BKS_PHASE_RUNNING) {
        assert_true(network.now_ns < 10 * SECONDS);
        run_for(1);
    }
    network.cut[2] = 7;
    freeze(2);
    run_for(DROP_MS + 2500);
    assert_members(3);
    assert_in_range(roster_of(0).end[5], first, first + 8);
    toy_destroy(&network);
}

static void one_that_sent_nothing_ends_at_the_first_tick(void **context)
{
    (void)context;
    for_each(leave_before_anything);
}

/// One of the two that stay has inputs of the leaver that the other lacks.
static void leave_unevenly(bks_tick first, uint32_t window)
{
    create(first, window, 8, 0);
    run_until_started();
    run_for(50);
    toy_cut(&network, 0, 2, true);
    toy_cut(&network, 0, 1, true); // no detour either
    run_for(80);
    freeze(2);
    run_for(100);
    toy_cut(&network, 0, 1, false);
    run_for(DROP_MS + 2500);
    assert_members(3);
    const bks_tick end = roster_of(0).end[5];
    assert_true(end > first);
    toy_destroy(&network);
}

static void the_inputs_of_a_leaver_that_one_lacks_come_with_its_ballot(void **context)
{
    (void)context;
    for_each(leave_unevenly);
}

// ---- detours and long silence ----

static void cut_a_pair(bks_tick first, uint32_t window)
{
    create(first, window, 8, 0);
    run_for(1500);
    toy_cut(&network, 1, 2, true);
    run_for(4 * DROP_MS);
    assert_members(7);
    assert_int_equal(roster_of(0).view, 0);
    assert_true(stats_of(0).relayed > 100);
    toy_destroy(&network);
}

static void two_that_are_cut_play_on_through_the_third(void **context)
{
    (void)context;
    for_each(cut_a_pair);
}

static void sleep_for_a_while(bks_tick first, uint32_t window)
{
    create(first, window, 8, 0);
    run_for(1500);
    network.is_cut = true; // more than one packet of inputs waits
    run_for(DROP_MS * 3 / 4);
    network.is_cut = false;
    run_for(2000);
    assert_members(7);
    assert_int_equal(roster_of(0).view, 0);
    toy_destroy(&network);
}

static void after_a_silence_all_inputs_are_sent_again(void **context)
{
    (void)context;
    for_each(sleep_for_a_while);
}

// ---- what a member says of ticks before the first ----

static void say_input(bks_tick head, bks_tick need, bks_tick first)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    const bksi_input_head message = {
        .head = head, .need = need, .first = first, .count = (uint32_t)(head - first)};
    const size_t count = inside_input(&message, body);
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_INPUT, body, count);
}

static void inputs_of_ticks_before_the_first_are_refused(void **context)
{
    (void)context;
    create(1000, 20, 0, 0);
    network.loss_percent = 0;
    run_for(1500);
    const bks_tick head = bksi_common_head(&session_of(0)->common, numbers[1]);
    uint64_t refused = stats_of(0).packets_refused;
    say_input(head, 1000, head - 10); // all that is right
    assert_int_equal(stats_of(0).packets_refused, refused);
    say_input(head, 999, head - 10);
    assert_int_equal(stats_of(0).packets_refused, ++refused);
    say_input(head + 1, 1000, 999);
    assert_int_equal(stats_of(0).packets_refused, ++refused);
    say_input(999, 1000, 999);
    assert_int_equal(stats_of(0).packets_refused, ++refused);
    assert_members(7);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tick_from_the_first_on_is_sampled_stepped_and_hashed),
        cmocka_unit_test(nothing_lies_before_the_first_tick),
        cmocka_unit_test(a_difference_is_named_by_its_tick_and_the_peers_number),
        cmocka_unit_test(states_of_the_first_tick_that_differ_start_nothing),
        cmocka_unit_test(leavers_end_and_the_others_play_on),
        cmocka_unit_test(one_that_sent_nothing_ends_at_the_first_tick),
        cmocka_unit_test(the_inputs_of_a_leaver_that_one_lacks_come_with_its_ballot),
        cmocka_unit_test(two_that_are_cut_play_on_through_the_third),
        cmocka_unit_test(after_a_silence_all_inputs_are_sent_again),
        cmocka_unit_test(inputs_of_ticks_before_the_first_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
