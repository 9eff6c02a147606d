// SPDX-License-Identifier: MIT

// Splits and their reunion, sleepers, chains of peers that hear but their neighbours, and the end.

#include "session/some_views.h"
#include "support/seed.h"

// ---- splits ----

static void cut_sides(uint32_t side, bool is_cut)
{
    for (uint32_t a = 0; a < network.peer_count; a++) {
        for (uint32_t b = a + 1; b < network.peer_count; b++) {
            if ((side >> a & 1) != (side >> b & 1)) {
                toy_cut(&network, a, b, is_cut);
            }
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
    assert_play_on(stays);
    assert_play_on(goes);
    for (uint32_t i = 0; i < peers; i++) {
        bks_roster roster;
        assert_int_equal(bks_session_roster(session_of(i), &roster), BKS_OK);
        assert_int_equal(roster.is_minority, (goes >> i & 1) != 0);
    }
    cut_sides(stays, false);
    run_for(3000);
    assert_play_on(stays);
    for (uint32_t i = 0; i < peers; i++) {
        if ((goes >> i & 1) == 0) {
            continue;
        }
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

/// Two of the three peers on the smaller side of a split leave, and the third plays on alone.
static void what_remains_of_the_smaller_side_stays_the_smaller_one(void **context)
{
    (void)context;
    begin(6, 1);
    run_for(2000);
    cut_sides(0x2c, true);
    run_for(DROP_MS + 2000);
    assert_play_on(0x2c);
    assert_int_equal(bks_session_leave(session_of(3)), BKS_OK);
    assert_int_equal(bks_session_leave(session_of(5)), BKS_OK);
    run_for(500);
    assert_play_on(0x4);
    assert_play_on(0x13);
    assert_true(roster_of(2).is_minority);
    assert_false(roster_of(0).is_minority);
    toy_destroy(&network);
}

static void tune_late(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->tuning.drop_after_ms = peer < 3 ? DROP_MS : 3 * DROP_MS;
}

/// The smaller side drops the larger one later, so it still plays when that one's match is over.
static void the_smaller_side_ends_although_the_match_of_the_larger_one_is_over(void **context)
{
    (void)context;
    tuned_ticks = 300;
    toy_create(&network, 5, 1, tune_late);
    run_for(2000);
    cut_sides(0x18, true);
    while (phase_of(0) == BKS_PHASE_RUNNING) {
        run_for(10);
    }
    run_for(200);
    assert_play_on(0x18);
    cut_sides(0x18, false);
    run_for(1200);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(phase_of(i), i < 3 ? BKS_PHASE_ENDED : BKS_PHASE_FAILED);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DROPPED], i < 3 ? 0 : 1);
    }
    toy_destroy(&network);
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
        for (uint32_t i = 0; i < peers; i++) {
            network.cut[i] = 0;
        }
        run_for(2 * DROP_MS + 1000);
        network.loss_percent = 0; // or a way may change in the half second that is looked at
        run_for(3000);
        uint32_t running = 0;
        for (uint32_t i = 0; i < peers; i++) {
            if (bks_session_phase(session_of(i)) == BKS_PHASE_RUNNING) {
                running |= 1u << i;
            }
        }
        assert_true(running != 0);
        assert_play_on(running);
        whole += running == (1u << peers) - 1;
        parted += running != (1u << peers) - 1;
        toy_destroy(&network);
    }
    print_message("%u came together again, %u did not\n", whole, parted);
    assert_true(whole > 10);
    assert_true(parted > 10);
}

/// One side loses a peer just before they meet, so that it looks smaller to itself than to the
/// others: still only one side ends.
static void events_after_a_split_do_not_change_which_side_ends(void **context)
{
    (void)context;
    for (uint32_t lost = 0; lost < 4; lost++) {
        for (uint32_t since_ms = 0; since_ms < DROP_MS + 600; since_ms += 150) {
            begin(4, 1 + since_ms + lost);
            network.loss_percent = 5;
            run_for(2000);
            cut_sides(3, true);
            run_for(DROP_MS + 1000);
            toy_cut(&network, lost, lost ^ 1, true);
            run_for(since_ms);
            cut_sides(3, false);
            run_for(1800);
            for (uint32_t i = 0; i < 4; i++) {
                bks_phase expected = i < 2 ? BKS_PHASE_RUNNING : BKS_PHASE_FAILED;
                if (bks_session_phase(session_of(i)) != expected) {
                    fail_msg("peer %u lost %u ms before: peer %u", lost, since_ms, i);
                }
            }
            toy_destroy(&network);
        }
    }
}

// ---- who was not there for a while ----

static void of_two_the_one_that_slept_ends(void **context)
{
    (void)context;
    for (uint32_t sleeper = 0; sleeper < 2; sleeper++) {
        begin(2, 3);
        run_for(2000);
        freeze(sleeper);
        run_for(DROP_MS + 1000);
        network.peers[sleeper].is_frozen = false;
        run_for(400);
        assert_int_equal(bks_session_phase(session_of(sleeper)), BKS_PHASE_FAILED);
        assert_play_on(1u << (1 - sleeper));
        toy_destroy(&network);
    }
}

static void a_peer_that_slept_too_long_learns_it_when_it_wakes(void **context)
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
        assert_play_on(7 & ~(1u << sleeper));
        toy_destroy(&network);
    }
}

/// Lose goodbyes to peer 2, directly or carried.
static bool loses_goodbyes(const toy_network *toy, uint32_t from, uint32_t to, const uint8_t *bytes,
                           size_t count)
{
    (void)toy;
    (void)from;
    (void)count;
    const uint32_t type = bytes[0] >> 4;
    return to == 2 && (type == BKSI_PACKET_BYE || type == BKSI_PACKET_CARRIED);
}

/// Peer 2 stands still, with its packets waiting for it. The host leaves, and peer 1 plays on
/// alone.
static void leave_one_behind(bool is_told)
{
    begin(3, 3);
    run_for(2000);
    network.peers[2].is_stopped = true;
    network.loses = is_told ? NULL : loses_goodbyes;
    run_for(50);
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    run_for(2 * DROP_MS + 1000);
    assert_play_on(2);
    network.peers[2].is_stopped = false;
}

/// Old inputs of the peer that left do not make two of the one that woke.
static void a_peer_that_wakes_does_not_count_one_that_left(void **context)
{
    (void)context;
    leave_one_behind(true);
    run_for(100);
    assert_int_equal(phase_of(2), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[2].events[BKS_EVENT_DROPPED], 1);
    assert_play_on(2);
    toy_destroy(&network);
}

/// A peer that wakes believes that it stays with the host, whose goodbye comes later. It then plays
/// on alone and hears no more of the peer that dropped it, which did not leave.
static void a_peer_that_plays_on_without_us_has_not_left(void **context)
{
    (void)context;
    leave_one_behind(false);
    freeze(1);
    network.loses = NULL;
    run_for(3 * DROP_MS);
    assert_play_on(4);
    assert_true(roster_of(2).is_minority);
    assert_false(roster_of(1).is_minority);
    toy_destroy(&network);
}

/// While one slept the others parted and met again.
static void a_peer_that_wakes_does_not_wait_for_one_that_was_dropped(void **context)
{
    (void)context;
    begin(3, 3);
    run_for(2000);
    freeze(0);
    toy_cut(&network, 1, 2, true);
    run_for(DROP_MS + 1000);
    toy_cut(&network, 1, 2, false);
    run_for(2000);
    assert_int_equal(bks_session_phase(session_of(2)), BKS_PHASE_FAILED);
    network.peers[0].is_frozen = false;
    run_for(DROP_MS / 2);
    assert_int_equal(bks_session_phase(session_of(0)),
                     BKS_PHASE_FAILED); // both are alone; it slept
    assert_play_on(2);
    toy_destroy(&network);
}

static void when_all_sleep_no_peer_is_dropped(void **context)
{
    (void)context;
    begin(3, 3);
    run_for(2000);
    for (uint32_t i = 0; i < 3; i++) {
        freeze(i);
    }
    run_for(20000);
    for (uint32_t i = 0; i < 3; i++) {
        network.peers[i].is_frozen = false;
    }
    run_for(1000);
    assert_play_on(7);
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
        assert_play_on(7);
        toy_destroy(&network);
    }
}

// ---- chains: each hears but its neighbours ----

/// Peers 0..count-1 in this order hear only those beside them.
static void chain(const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 2; k < count; k++) {
            toy_cut(&network, order[i], order[k], true);
        }
    }
}

static const uint32_t chains[][6] = {
    {0, 1, 2, 3, 4, 5}, {0, 2, 4, 5, 3, 1}, {3, 0, 4, 2, 5, 1}, {5, 2, 0, 1, 4, 3}};

static void tune_wide(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->tuning.window_ticks = 40; // inputs come a long way
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

static void in_a_chain_of_six_no_peer_is_dropped(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        begin_chain(chains[i], 6, 6, i + 1);
        run_for(4 * DROP_MS);
        for (uint32_t k = 0; k < 6; k++) {
            assert_int_equal(network.peers[k].events[BKS_EVENT_LOST], 0);
        }
        assert_play_on(63);
        toy_destroy(&network);
    }
}

/// While all wait for a crashed peer no inputs move, so the ends of the chain hear of each other
/// only through the others. Then they must all agree on its end.
static void a_chain_that_waits_for_a_crashed_peer_stays_together(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= seed_rounds(100); seed++) {
        begin_chain(chains[(seed - 1) % (sizeof(chains) / sizeof(chains[0]))], 6, 7, seed);
        run_for(500);
        freeze(6);
        run_for(DROP_MS + 2000);
        for (uint32_t k = 0; k < 6; k++) { // that it is lost, not all find out before the view
            assert_int_equal(network.peers[k].events[BKS_EVENT_LEFT], 1);
        }
        assert_play_on(63);
        assert_int_equal(roster_of(0).view, 1);
        toy_destroy(&network);
    }
}

static void when_the_chain_breaks_both_pieces_play_on(void **context)
{
    (void)context;
    begin_chain(chains[0], 6, 6, 1);
    run_for(500);
    freeze(2);
    run_for(DROP_MS + 2500);
    assert_play_on(3);
    assert_play_on(56);
    toy_destroy(&network);
}

// ---- the end ----

/// A peer that has everything must not go while another still lacks inputs of a third, which
/// crashes.
static void no_peer_ends_before_all_have_everything(void **context)
{
    (void)context;
    uint32_t late = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        tuned_ticks = 600;
        toy_create(&network, 3, seed, tune);
        network.delay_ns = (10 + toy_random(&network, 60)) * TOY_MS;
        bks_tick at = 585 + (bks_tick)toy_random(&network, 15);
        while (bks_session_tick(session_of(1)) < at) {
            run_for(1);
        }
        network.cut[1] = 1u << 0; // its last inputs reach peer 2 alone
        while (bks_session_published(session_of(2)) < 600 &&
               bks_session_phase(session_of(2)) == BKS_PHASE_RUNNING &&
               bks_session_tick(session_of(2)) < 600) {
            run_for(1);
        }
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
static void a_peer_that_is_silent_at_the_end_is_waited_for(void **context)
{
    (void)context;
    tuned_ticks = 600;
    toy_create(&network, 3, 1, tune);
    while (bks_session_tick(session_of(0)) < 597) {
        run_for(1);
    }
    network.cut[0] = network.cut[1] = 1u << 2;
    while (bks_session_published(session_of(0)) < 600) {
        run_for(1);
    }
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
        cmocka_unit_test(when_split_sides_meet_the_smaller_ends),
        cmocka_unit_test(what_remains_of_the_smaller_side_stays_the_smaller_one),
        cmocka_unit_test(the_smaller_side_ends_although_the_match_of_the_larger_one_is_over),
        cmocka_unit_test(on_a_tie_the_side_of_the_lowest_stays),
        cmocka_unit_test(a_split_that_ends_in_the_middle_of_the_ballots_settles),
        cmocka_unit_test(events_after_a_split_do_not_change_which_side_ends),
        cmocka_unit_test(of_two_the_one_that_slept_ends),
        cmocka_unit_test(a_peer_that_slept_too_long_learns_it_when_it_wakes),
        cmocka_unit_test(a_peer_that_wakes_does_not_count_one_that_left),
        cmocka_unit_test(a_peer_that_plays_on_without_us_has_not_left),
        cmocka_unit_test(a_peer_that_wakes_does_not_wait_for_one_that_was_dropped),
        cmocka_unit_test(when_all_sleep_no_peer_is_dropped),
        cmocka_unit_test(in_a_chain_of_six_no_peer_is_dropped),
        cmocka_unit_test(a_chain_that_waits_for_a_crashed_peer_stays_together),
        cmocka_unit_test(when_the_chain_breaks_both_pieces_play_on),
        cmocka_unit_test(no_peer_ends_before_all_have_everything),
        cmocka_unit_test(a_peer_that_is_silent_at_the_end_is_waited_for),
        cmocka_unit_test(a_pair_that_is_cut_agrees_through_the_third_when_a_fourth_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
