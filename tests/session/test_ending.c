// SPDX-License-Identifier: MIT

// A match that stops where states differ: every member ends at the same tick, whatever gets lost
// and whoever is gone meanwhile.

#include "lab/lab_liar.h"
#include "session/inside.h"
#include "session/one_network.h"

#define SEEDS 40u

enum { FLIP = 100 };

static uint32_t seed;
static bks_tick tuned_ticks;
static bks_on_desync tuned_guests;
static bks_on_desync tuned_host;
static bool is_lockstep;
static bool is_mixed; ///< each peer has a window and a delay of its own

static uint32_t some(uint32_t bound, uint32_t peer)
{
    return (seed * 7919 + peer * 104729) % bound;
}

static void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = tuned_ticks;
    config->tuning.on_desync = peer == 0 ? tuned_host : tuned_guests;
    config->tuning.drop_after_ms = 1200;
    if (is_lockstep) {
        config->tuning.window_ticks = 0;
    } else if (is_mixed) {
        config->tuning.window_ticks = some(BKS_WINDOW_MAX + 1, peer);
        config->tuning.delay_ticks =
            some(4, peer) == 0 ? some(BKS_DELAY_MAX + 1, peer + 9) : BKS_AUTO;
    }
}

static void begin(uint32_t peers)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 21;
    network.peers[seed % peers].flip_tick = FLIP;
}

static int reset(void **state)
{
    (void)state;
    seed = 1;
    tuned_ticks = 0;
    tuned_host = BKS_ON_DESYNC_STOP;
    tuned_guests = BKS_ON_DESYNC_REPORT;
    is_lockstep = is_mixed = false;
    return 0;
}

/// Assert that the peers of a mask have ended where the last one that did says so, and that they
/// heard why.
static void assert_all_stopped(uint32_t peers)
{
    bks_tick end = 0;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        if ((peers >> i & 1) == 0) {
            continue;
        }
        const toy_peer *peer = &network.peers[i];
        end = end == 0 ? bks_session_tick(peer->session) : end;
        if (bks_session_tick(peer->session) != end || peer->seen != end + 1) {
            fail_msg("seed %u: peer %u ended at %d with %d hashes, the first at %d", seed, i,
                     (int)bks_session_tick(peer->session), (int)peer->seen, (int)end);
        }
        assert_true(bks_session_confirmed(peer->session) >= end);
        assert_int_equal(bks_session_status(peer->session), BKS_ERR_DESYNC);
        assert_int_equal(peer->events[BKS_EVENT_STOPPING], 1);
        assert_int_equal(peer->last[BKS_EVENT_STOPPING].tick, end);
        assert_int_equal(peer->last[BKS_EVENT_ENDED].tick, end);
    }
    assert_true(end > FLIP);
}

static bool has_stopping(void)
{
    for (uint32_t i = 0; i < network.peer_count; i++) {
        if (network.peers[i].events[BKS_EVENT_STOPPING] > 0) {
            return true;
        }
    }
    return false;
}

static void every_peer_ends_at_the_same_tick_whatever_gets_lost(void **state)
{
    (void)state;
    for (seed = 1; seed <= SEEDS; seed++) {
        const uint32_t peers = 2 + seed % 4;
        is_mixed = seed % 3 != 0;
        begin(peers);
        if (!toy_run_to_end(&network, 60000 * TOY_MS)) {
            fail_msg("seed %u: it does not end", seed);
        }
        assert_all_stopped((1u << peers) - 1);
        toy_destroy(&network);
    }
}

static void it_ends_within_the_longest_window_and_a_round_trip_of_being_found(void **state)
{
    (void)state;
    begin(3);
    network.delay_ns = 50 * TOY_MS;
    network.jitter_ns = network.loss_percent = 0;
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    assert_all_stopped(7);
    const bks_event *found = &network.peers[0].last[BKS_EVENT_DESYNC];
    assert_int_equal(found->tick, FLIP);
    assert_in_range(bks_session_tick(session_of(0)) - found->found_tick, BKS_WINDOW_MAX + 1,
                    BKS_WINDOW_MAX + 15);
    assert_string_equal(network.peers[1].last[BKS_EVENT_STOPPING].text,
                        "states differ: the match ends for all at tick 173");
    toy_destroy(&network);
}

static void the_hosts_policy_is_everyones(void **state)
{
    (void)state;
    tuned_host = BKS_ON_DESYNC_REPORT;
    tuned_guests = BKS_ON_DESYNC_STOP;
    tuned_ticks = 400;
    begin(3);
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_tick(session_of(i)), 400);
        assert_int_equal(roster_of(i).on_desync, BKS_ON_DESYNC_REPORT);
        assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
    }
    assert_false(has_stopping());
    toy_destroy(&network);
}

static void a_match_that_ends_sooner_anyway_ends_there(void **state)
{
    (void)state;
    tuned_ticks = FLIP + 60;
    begin(2);
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    assert_int_equal(bks_session_tick(session_of(1)), tuned_ticks);
    assert_int_equal(bks_session_status(session_of(1)), BKS_ERR_DESYNC);
    assert_false(has_stopping());
    toy_destroy(&network);
}

static void without_a_difference_it_plays_to_its_end(void **state)
{
    (void)state;
    tuned_ticks = 400;
    begin(3);
    network.peers[seed % 3].flip_tick = BKS_TICK_NONE;
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    assert_int_equal(bks_session_status(session_of(2)), BKS_OVER);
    assert_false(has_stopping());
    toy_destroy(&network);
}

static void lockstep_stops_too(void **state)
{
    (void)state;
    is_lockstep = true;
    for (seed = 1; seed <= 8; seed++) {
        begin(3);
        assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
        assert_all_stopped(7);
        toy_destroy(&network);
    }
}

// The host decides, one guest hears of it (or none), and the host is gone: what the others agree on
// to let it go brings the end to all.
static void the_end_survives_the_host_that_decided_it(void **state)
{
    (void)state;
    uint32_t heard_by_few = 0;
    for (seed = 1; seed <= SEEDS; seed++) {
        const uint32_t peers = 3 + seed % 3;
        is_mixed = seed % 4 == 0;
        begin(peers);
        while (network.peers[0].events[BKS_EVENT_STOPPING] == 0) {
            run_for(1);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        // From now on one guest hears the host, for as long as a few packets take.
        network.cut[0] = ~(1u << (1 + seed % (peers - 1)));
        run_for(network.delay_ns / TOY_MS + 70);
        network.peers[0].is_frozen = true;
        network.cut[0] = ~0u;
        uint32_t aware = 0;
        for (uint32_t i = 1; i < peers; i++) {
            aware += network.peers[i].events[BKS_EVENT_STOPPING];
        }
        heard_by_few += aware > 0 && aware < peers - 1 ? 1 : 0;
        run_for(20000);
        assert_all_stopped((1u << peers) - 2);
        toy_destroy(&network);
    }
    assert_true(heard_by_few > SEEDS / 2);
}

/// The host's inputs are at hand the moment they are sampled, those of others long before.
static void tune_far_ahead(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->tuning.window_ticks = BKS_WINDOW_MAX;
    config->tuning.delay_ticks = peer == 0 ? 0 : 120;
}

// The peer has inputs of the others far beyond the end, and only the report of the new view holds
// it back.
static void a_peer_that_hears_of_it_with_the_new_view_alone_ends_there_too(void **state)
{
    (void)state;
    toy_create(&network, 3, seed, tune_far_ahead);
    network.delay_ns = 20 * TOY_MS;
    network.peers[0].flip_tick = FLIP;
    while (bks_session_tick(session_of(0)) < FLIP) {
        run_for(1);
    }
    network.cut[0] = 1u << 2; // so it does not see the difference either
    network.lost_types[1] = 1u << BKSI_PACKET_CARRIED;
    while (network.peers[1].events[BKS_EVENT_STOPPING] == 0) {
        run_for(1);
    }
    network.peers[0].is_frozen = true;
    network.lost_types[1] = 1u << BKSI_PACKET_INPUT;
    while (roster_of(2).view == 0) {
        assert_int_equal(network.peers[2].events[BKS_EVENT_STOPPING], 0);
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    run_for(500);
    network.lost_types[1] = 0;
    run_for(5000);
    assert_all_stopped(6);
    assert_int_equal(network.peers[2].events[BKS_EVENT_DESYNC], 0);
    toy_destroy(&network);
}

/// A peer says of itself to another that its state is none that the other has.
static void claim_a_difference(uint32_t liar, uint32_t victim)
{
    const bksi_hashes_message message = {.first = bks_session_published(session_of(victim)) - 2,
                                         .step_ticks = 1,
                                         .count = 1,
                                         .state = {77},
                                         .inputs = {78}};
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_hashes_write(&writer, &message);
    inside_say(session_of(victim), network.now_ns, session_of(liar), BKSI_PACKET_HASHES, bytes,
               writer.at);
}

static void begin_without_a_difference(uint32_t peers)
{
    begin(peers);
    network.peers[seed % peers].flip_tick = BKS_TICK_NONE;
    run_for(3000);
}

// The host is like both, so it does not stop what one of them says of the other.
static void a_difference_that_is_claimed_to_a_guest_stops_nothing(void **state)
{
    (void)state;
    tuned_ticks = 500;
    begin_without_a_difference(3);
    claim_a_difference(2, 1);
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    assert_int_equal(network.peers[1].events[BKS_EVENT_DESYNC], 1);
    assert_false(has_stopping());
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_tick(session_of(i)), 500);
        assert_int_equal(bks_session_status(session_of(i)), i == 1 ? BKS_ERR_DESYNC : BKS_OVER);
    }
    toy_destroy(&network);
}

// Nobody can tell a fault from a lie: all end, and at the same tick.
static void one_that_is_claimed_to_the_host_stops_all(void **state)
{
    (void)state;
    for (seed = 1; seed <= 12; seed++) {
        const uint32_t peers = 2 + seed % 2;
        begin_without_a_difference(peers);
        claim_a_difference(peers - 1, 0);
        assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
        assert_all_stopped((1u << peers) - 1);
        toy_destroy(&network);
    }
}

static void two_stories_about_one_input_stop_all(void **state)
{
    (void)state;
    static bksi_lab_liar lies;
    for (seed = 1; seed <= 12; seed++) {
        begin_without_a_difference(3);
        lies = (bksi_lab_liar){0};
        bksi_lab_lie(&lies, session_of(1), bksi_inspect_own_head(session_of(1)), seed % 2 * 2);
        assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
        assert_all_stopped(7);
        toy_destroy(&network);
    }
}

// The end as the peer reports it itself, in its inputs and in a ballot about another.
static void a_guest_alone_cannot_say_where_the_match_ends(void **state)
{
    (void)state;
    tuned_ticks = 600;
    begin(4);
    network.peers[seed % 4].flip_tick = BKS_TICK_NONE;
    network.loss_percent = 0;
    run_for(2000);
    session_of(2)->common.ending.tick = 590;
    run_for(1000);
    network.peers[3].is_frozen = true; // the others agree to let it go
    run_for(4000);
    assert_false(roster_of(0).is_in[3]);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_STOPPING], 0);
        assert_int_equal(session_of(i)->common.ending.tick, 0);
    }
    toy_destroy(&network);
}

static void where_differences_are_only_reported_no_one_can(void **state)
{
    (void)state;
    tuned_host = BKS_ON_DESYNC_REPORT;
    begin(3);
    network.peers[seed % 3].flip_tick = BKS_TICK_NONE;
    network.loss_percent = 0;
    run_for(2000);
    const uint64_t refused = stats_of(1).packets_refused;
    session_of(0)->common.ending.tick = 5000;
    run_for(1000);
    assert_true(stats_of(1).packets_refused > refused + 20);
    assert_int_equal(network.peers[1].events[BKS_EVENT_STOPPING], 0);
    assert_int_equal(session_of(1)->common.ending.tick, 0);
    toy_destroy(&network);
}

static bool ending_takes(bks_tick tick, bks_tick end)
{
    session_common common = session_of(1)->common; // a copy to try on
    common.seats.end_tick = end;
    return bksi_ending_take(&common.ending, &common.seats, &common.events, &common.engine, 0, tick);
}

static void an_end_that_cannot_be_is_refused(void **state)
{
    (void)state;
    begin(2);
    network.peers[seed % 2].flip_tick = BKS_TICK_NONE;
    run_for(2000);
    const bks_tick front = bks_session_tick(session_of(1));
    assert_true(ending_takes(0, 0));
    assert_true(ending_takes(front + 1, 0));
    assert_false(ending_takes(front, 0)); // the tick is past
    assert_false(ending_takes(1, 0));
    assert_true(ending_takes(front + 9, front + 10));
    assert_false(ending_takes(front + 10, front + 10)); // the match ends there anyway
    const bks_tick most = bksi_common_own_head(&session_of(1)->common) + BKS_WINDOW_MAX +
                          BKS_DELAY_MAX + 1 + BKS_WINDOW_MAX + 1;
    assert_true(ending_takes(most, 0));
    assert_false(ending_takes(most + 1, 0)); // no host is so far
    assert_false(ending_takes(INT32_MAX, 0));
    session_of(1)->common.ending.tick = front + 40;
    assert_true(ending_takes(front + 40, 0));
    assert_false(ending_takes(front + 41, 0)); // another was said before
    session_of(1)->common.ending.tick = 0;
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_peer_ends_at_the_same_tick_whatever_gets_lost, reset),
        cmocka_unit_test_setup(it_ends_within_the_longest_window_and_a_round_trip_of_being_found,
                               reset),
        cmocka_unit_test_setup(the_hosts_policy_is_everyones, reset),
        cmocka_unit_test_setup(a_match_that_ends_sooner_anyway_ends_there, reset),
        cmocka_unit_test_setup(without_a_difference_it_plays_to_its_end, reset),
        cmocka_unit_test_setup(lockstep_stops_too, reset),
        cmocka_unit_test_setup(the_end_survives_the_host_that_decided_it, reset),
        cmocka_unit_test_setup(a_peer_that_hears_of_it_with_the_new_view_alone_ends_there_too,
                               reset),
        cmocka_unit_test_setup(a_difference_that_is_claimed_to_a_guest_stops_nothing, reset),
        cmocka_unit_test_setup(one_that_is_claimed_to_the_host_stops_all, reset),
        cmocka_unit_test_setup(two_stories_about_one_input_stop_all, reset),
        cmocka_unit_test_setup(a_guest_alone_cannot_say_where_the_match_ends, reset),
        cmocka_unit_test_setup(where_differences_are_only_reported_no_one_can, reset),
        cmocka_unit_test_setup(an_end_that_cannot_be_is_refused, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
