// SPDX-License-Identifier: MIT

// Before the first tick: which peers get a seat, which are refused with a reason, and when it
// starts.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "session/inside.h"
#include "session/one_network.h"
#include "session/session_internal.h"
#include "support/says.h"
#include "support/seed.h"

#define SECONDS (1000 * TOY_MS)

static uint64_t connect_ns(uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(network.peers[peer].session, &stats), BKS_OK);
    return stats.connect_ns;
}

/// Check that a peer went through all phases and ended with the right state.
static void assert_ended_right(uint32_t peer, uint32_t players)
{
    uint64_t hash = 0;
    assert_int_equal(phase_of(peer), BKS_PHASE_ENDED);
    assert_int_equal(bks_session_hash(network.peers[peer].session, 600, &hash), BKS_OK);
    assert_true(hash == toy_straight_run(players, 600, network.hold_input_ticks));
}

// ---- refused, see test_refusal.c ----

static void tune_another_key(bks_session_config *config, uint32_t peer)
{
    config->key[31] ^= (uint8_t)peer;
}

static void a_guest_with_another_key_gets_not_one_byte_back(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_another_key);
    toy_run_until(&network, 2 * SECONDS);
    assert_int_equal(network.peers[0].packets_sent, 0);
    bks_stats stats;
    assert_int_equal(bks_session_stats(network.peers[0].session, &stats), BKS_OK);
    assert_in_range(stats.packets_refused, 15, 19); // in 2 s
    assert_int_equal(stats.packets_received, 0);
    toy_destroy(&network);
}

// ---- seats ----

static void tune_any_of_two(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = 2;
    config->first_player = BKS_AUTO;
}

static void one_guest_too_many_is_refused_and_the_others_play(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_any_of_two);
    toy_run_until(&network, 15 * SECONDS);
    uint32_t refused = phase_of(1) == BKS_PHASE_FAILED ? 1 : 2;
    assert_int_equal(phase_of(refused), BKS_PHASE_FAILED);
    assert_says(network.peers[refused].last[BKS_EVENT_REFUSED].text,
                "the host refused us, the match is full");
    assert_says(network.peers[0].last[BKS_EVENT_REFUSED].text, "guest refused, the match is full");
    assert_ended_right(0, 2);
    assert_ended_right(3 - refused, 2);
    toy_destroy(&network);
}

static void a_guest_that_comes_while_the_match_runs_learns_it(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_any_of_two);
    network.peers[2].is_frozen = true;
    toy_run_until(&network, 2 * SECONDS);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    network.peers[2].is_frozen = false;
    toy_run_until(&network, 15 * SECONDS);
    assert_int_equal(phase_of(2), BKS_PHASE_FAILED);
    assert_says(network.peers[2].last[BKS_EVENT_REFUSED].text,
                "the host refused us, the match is already under way");
    assert_ended_right(0, 2);
    assert_ended_right(1, 2);
    toy_destroy(&network);
}

static void tune_same_seat(bks_session_config *config, uint32_t peer)
{
    config->players = 3;
    config->first_player = peer == 0 ? BKS_AUTO : 1;
}

static void a_seat_that_is_taken_is_refused_to_the_second(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_same_seat);
    network.peers[2].is_frozen = true;
    toy_run_until(&network, 1 * SECONDS);
    assert_int_equal(network.peers[1].events[BKS_EVENT_JOINED], 1);
    network.peers[2].is_frozen = false;
    toy_run_until(&network, 2 * SECONDS);
    assert_int_equal(phase_of(2), BKS_PHASE_FAILED);
    assert_int_equal(network.peers[2].events[BKS_EVENT_REFUSED], 1);
    assert_says(network.peers[2].last[BKS_EVENT_REFUSED].text,
                "the host refused us, seat 1 is taken");
    assert_says(network.peers[0].last[BKS_EVENT_REFUSED].text, "guest refused, seat 1 is taken");
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    assert_int_equal(phase_of(1), BKS_PHASE_GATHERING);
    assert_int_equal(roster_of(0).peers, 0); // not known before all have come
    toy_destroy(&network);
}

static void tune_pairs(bks_session_config *config, uint32_t peer)
{
    config->players = 4;
    config->local_players = peer == 0 ? 1 : 2;
    config->first_player = peer == 1 ? 2 : BKS_AUTO;
}

static void seats_of_one_guest_lie_together_or_it_is_refused(void **context)
{
    (void)context;
    // Peer 1 has seats 2 and 3, so that seat 1 alone is left for peer 2, which wants two.
    toy_create(&network, 3, 1, tune_pairs);
    network.peers[2].is_frozen = true;
    toy_run_until(&network, 1 * SECONDS);
    network.peers[2].is_frozen = false;
    toy_run_until(&network, 2 * SECONDS);
    assert_int_equal(phase_of(2), BKS_PHASE_FAILED);
    assert_says(network.peers[2].last[BKS_EVENT_REFUSED].text,
                "the host refused us, 2 seats wanted, 1 free");
    toy_destroy(&network);
}

static void a_join_that_comes_again_takes_no_second_seat(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    network.duplicate_percent = 100;
    toy_run_until(&network, 15 * SECONDS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_JOINED], 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_ended_right(i, 3);
        assert_int_equal(roster_of(i).peers, 3);
        assert_int_equal(roster_of(i).self, i);
    }
    toy_destroy(&network);
}

// ---- guests that vanish ----

static void tune_heirs(bks_session_config *config, uint32_t peer)
{
    static const uint32_t seats[] = {BKS_AUTO, 1, 2, 1};
    config->players = 3;
    config->first_player = seats[peer];
}

static void assert_heir_plays(uint32_t gone, uint32_t heir)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i != gone) {
            assert_ended_right(i, 3);
        }
    }
    assert_int_equal(roster_of(heir).first_player[roster_of(heir).self], 1);
    assert_int_equal(roster_of(heir).self, 1);
    assert_int_equal(roster_of(2).self, 2);
    assert_int_equal(network.peers[0].events[BKS_EVENT_JOINED], 3);
    assert_int_equal(network.peers[0].events[BKS_EVENT_REFUSED], 0);
}

static void a_guest_that_vanishes_while_gathering_gives_its_seat_back(void **context)
{
    (void)context;
    toy_create(&network, 4, 1, tune_heirs);
    network.peers[2].is_frozen = network.peers[3].is_frozen = true;
    toy_run_until(&network, 1 * SECONDS);
    assert_int_equal(network.peers[1].events[BKS_EVENT_JOINED], 1);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 7 * SECONDS);
    network.peers[2].is_frozen = network.peers[3].is_frozen = false;
    toy_run_until(&network, 30 * SECONDS);
    assert_heir_plays(1, 3);
    toy_destroy(&network);
}

static void a_guest_that_vanishes_while_linking_gives_its_seat_back(void **context)
{
    (void)context;
    toy_create(&network, 4, 1, tune_heirs);
    network.peers[3].is_frozen = true;
    // At 50 ms the host knows all, at 100 ms the guests would; guest 1 is gone by then.
    toy_run_until(&network, 75 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 3 * SECONDS);
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    assert_int_equal(roster_of(2).peers, 3); // complete, and the state of tick 0 is made
    toy_run_until(&network, 11 * SECONDS);
    assert_says(network.peers[0].last[BKS_EVENT_LOADING].text, "peer 1 is loading");
    toy_run_until(&network, 14 * SECONDS);
    network.peers[3].is_frozen = false;
    toy_run_until(&network, 40 * SECONDS);
    assert_heir_plays(1, 3);
    toy_destroy(&network);
}

static void tune_two_for_one(bks_session_config *config, uint32_t peer)
{
    config->players = 4;
    config->local_players = peer == 4 ? 2 : 1;
    config->first_player = peer == 0 ? BKS_AUTO : peer == 4 ? 1 : peer;
}

/// Two guests leave before the start, and one takes the seats of both: a number stays free.
static void a_number_between_others_may_be_nobodys(void **context)
{
    (void)context;
    toy_create(&network, 5, 1, tune_two_for_one);
    network.peers[2].is_frozen = network.peers[4].is_frozen = true;
    toy_run_until(&network, 1 * SECONDS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_JOINED], 2);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 7 * SECONDS);
    network.peers[4].is_frozen = false;
    toy_run_until(&network, 30 * SECONDS);
    static const uint32_t numbers[] = {0, 2, 2, 3, 1};
    for (uint32_t i = 0; i < 5; i++) {
        if (i == 1 || i == 2) {
            continue;
        }
        const bks_roster roster = roster_of(i);
        assert_ended_right(i, 4);
        assert_int_equal(roster.self, numbers[i]);
        assert_int_equal(roster.peers, 4);
        assert_int_equal(roster.player_count[1], 2);
        assert_int_equal(roster.player_count[2], 0);
        assert_false(roster.is_in[2]);
        assert_int_equal(roster.first_player[3], 3);
    }
    toy_destroy(&network);
}

static void leave(uint32_t peer)
{
    assert_int_equal(bks_session_leave(session_of(peer)), BKS_OK);
}

/// Guest 1 leaves at a time; guest 3, which wants its seat, asks a round trip later.
static void a_guest_that_leaves_gives_its_seat_back_at_once(void **context)
{
    (void)context;
    static const struct {
        uint64_t leaves_ms;
        uint32_t late; ///< bits of the guests that are not there yet
    } cases[] = {{400, 1U << 2 | 1U << 3}, {70, 1U << 3}, {120, 1U << 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        toy_create(&network, 4, 1, tune_heirs);
        for (uint32_t k = 0; k < 4; k++) {
            network.peers[k].is_frozen = (cases[i].late >> k & 1) != 0;
        }
        toy_cut(&network, 1, 2, true); // they are not ready
        toy_run_until(&network, cases[i].leaves_ms * TOY_MS);
        leave(1);
        toy_run_until(&network, (cases[i].leaves_ms + 250) * TOY_MS);
        assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
        assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
        assert_says(network.peers[0].last[BKS_EVENT_LEFT].text,
                    "peer 1 left before the start, its seats are free again");
        assert_true(bks_session_wake(session_of(1)) == UINT64_MAX); // the peer was heard
        network.peers[2].is_frozen = network.peers[3].is_frozen = false;
        toy_run_until(&network, 2 * SECONDS);
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(phase_of(k), k == 1 ? BKS_PHASE_ENDED : BKS_PHASE_RUNNING);
        }
        toy_run_until(&network, 30 * SECONDS);
        assert_heir_plays(1, 3);
        toy_destroy(&network);
    }
}

/// Its goodbyes are lost, but for one.
static void a_goodbye_before_the_start_is_repeated_until_it_is_heard(void **context)
{
    (void)context;
    toy_create(&network, 4, 1, tune_heirs);
    network.peers[2].is_frozen = network.peers[3].is_frozen = true;
    toy_run_until(&network, 400 * TOY_MS);
    network.lost_types[1] = 1U << BKSI_PACKET_BYE;
    leave(1);
    run_for(1000);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 0);
    network.lost_types[1] = 0;
    run_for(500);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_true(bks_session_wake(session_of(1)) == UINT64_MAX);
    toy_destroy(&network);
}

static void tune_restarted(bks_session_config *config, uint32_t peer)
{
    tune_heirs(config, peer);
    if (peer == 1 || peer == 3) { // the same, started again
        memset(config->identity, 99, sizeof(config->identity));
    }
}

/// Killed while the others gather, or link.
static void a_guest_that_was_killed_and_comes_back_has_its_seat_at_once(void **context)
{
    (void)context;
    for (uint32_t is_linking = 0; is_linking < 2; is_linking++) {
        toy_create(&network, 4, 1, tune_restarted);
        network.peers[3].is_frozen = true;
        network.peers[2].is_frozen = is_linking == 0;
        toy_run_until(&network, is_linking != 0 ? 75 * TOY_MS : 500 * TOY_MS);
        network.peers[1].is_frozen = true; // for good
        network.peers[3].is_frozen = network.peers[2].is_frozen = false;
        toy_run_until(&network, 1500 * TOY_MS);
        for (uint32_t k = 0; k < 4; k++) {
            if (k != 1 && phase_of(k) != BKS_PHASE_RUNNING) {
                fail_msg("linking %u: peer %u is in phase %d", is_linking, k, (int)phase_of(k));
            }
        }
        toy_run_until(&network, 30 * SECONDS);
        assert_heir_plays(1, 3);
        toy_destroy(&network);
    }
}

static void every_guest_knows_that_the_host_left_or_fell_silent(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < 6; i++) {
        const bool leaves = i % 2 == 0;
        const bool is_linking = i >= 2;
        toy_create(&network, 4, 1, i < 4 ? tune_heirs : NULL);
        network.peers[3].is_frozen = true;
        network.peers[2].is_frozen = !is_linking;
        toy_cut(&network, 1, 2, true); // they are not ready
        toy_run_until(&network, 500 * TOY_MS);
        if (leaves) {
            leave(0);
        } else {
            network.peers[0].is_frozen = true;
        }
        toy_run_until(&network, leaves ? 600 * TOY_MS : 5700 * TOY_MS);
        for (uint32_t k = 1; k < (is_linking ? 3U : 2U); k++) {
            const toy_peer *peer = &network.peers[k];
            assert_int_equal(phase_of(k), leaves ? BKS_PHASE_ENDED : BKS_PHASE_FAILED);
            assert_int_equal(bks_session_status(session_of(k)),
                             leaves ? BKS_OVER : BKS_ERR_PEER_LOST);
            assert_int_equal(peer->events[leaves ? BKS_EVENT_LEFT : BKS_EVENT_LOST], 1);
            assert_says(peer->last[leaves ? BKS_EVENT_LEFT : BKS_EVENT_LOST].text,
                        leaves ? "the host left before the start"
                               : "nothing heard from the host for 5000 ms before the start");
        }
        toy_destroy(&network);
    }
}

static uint32_t patient; ///< a guest that waits long for the host

static void tune_patient(bks_session_config *config, uint32_t peer)
{
    config->tuning.drop_after_ms = peer == patient ? 20000 : 1000;
    config->tuning.notify_after_ms = 500;
}

static void tune_one_impatient(bks_session_config *config, uint32_t peer)
{
    config->tuning.drop_after_ms = peer == 1 ? 1000 : 20000;
    config->tuning.notify_after_ms = 500;
}

static void a_host_that_slept_does_not_wait_for_a_guest_that_gave_it_up(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_one_impatient);
    toy_cut(&network, 1, 2, true); // they are not ready
    toy_run_until(&network, 500 * TOY_MS);
    network.peers[0].is_frozen = true;
    toy_run_until(&network, 5900 * TOY_MS);
    assert_int_equal(phase_of(1), BKS_PHASE_FAILED);
    assert_int_equal(bks_session_status(session_of(1)), BKS_ERR_PEER_LOST);
    assert_int_equal(network.peers[1].events[BKS_EVENT_LOST], 1);
    network.peers[0].is_frozen = false;
    toy_run_until(&network, 6200 * TOY_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_says(network.peers[0].last[BKS_EVENT_LEFT].text, "peer 1 left before the start");
    assert_int_equal(phase_of(2), BKS_PHASE_GATHERING);
    toy_destroy(&network);
}

/// The last guest is ready, and hears nothing from then on; the others begin, and drop it.
static void miss_the_start(uint32_t peers)
{
    patient = peers - 1;
    toy_create(&network, peers, 1, tune_patient);
    network.delay_ns = 50 * TOY_MS;
    toy_run_until(&network, peers == 2 ? 180 * TOY_MS : 280 * TOY_MS);
    for (uint32_t i = 0; i < patient; i++) {
        toy_cut(&network, i, patient, true);
    }
    toy_run_until(&network, 4 * SECONDS);
    for (uint32_t i = 0; i < patient; i++) {
        assert_int_equal(phase_of(i), BKS_PHASE_RUNNING);
        assert_false(roster_of(i).is_in[patient]);
    }
    assert_int_equal(phase_of(patient), BKS_PHASE_GATHERING);
    assert_int_equal(roster_of(patient).peers, peers);
}

static void assert_knows_that_it_is_out(const char *text)
{
    const toy_peer *peer = &network.peers[patient];
    assert_int_equal(phase_of(patient), BKS_PHASE_FAILED);
    assert_int_equal(bks_session_status(session_of(patient)), BKS_ERR_PEER_LOST);
    assert_int_equal(peer->events[BKS_EVENT_DROPPED], 1);
    assert_int_equal(peer->events[BKS_EVENT_STARTED], 0);
    assert_int_equal(peer->last[BKS_EVENT_DROPPED].tick, BKS_TICK_NONE);
    assert_says(peer->last[BKS_EVENT_DROPPED].text, text);
}

/// The peer neither waits on nor begins alone, though the host still knows it.
static void a_guest_that_missed_the_start_and_was_dropped_hears_so_of_the_host(void **context)
{
    (void)context;
    miss_the_start(2);
    toy_cut(&network, 0, 1, false);
    run_for(1500);
    assert_knows_that_it_is_out("peer 0 plays without us: we did not hear of the start");
    run_for(500); // its goodbye arrives
    assert_true(bks_session_wake(session_of(1)) == UINT64_MAX);
    toy_run_until(&network, 20 * SECONDS);
    assert_int_equal(bks_session_status(session_of(0)), BKS_OVER);
    toy_destroy(&network);
}

/// While the host is silent another guest's word counts.
static void a_guest_that_missed_the_start_believes_another_while_the_host_is_silent(void **context)
{
    (void)context;
    miss_the_start(4);
    network.peers[0].is_frozen = true;
    run_for(3000); // peers 1 and 2 play on
    toy_cut(&network, 1, 3, false);
    run_for(1500);
    assert_knows_that_it_is_out("peer 1 and 1 more play without us: we did not hear of the start");
    assert_int_equal(network.peers[3].last[BKS_EVENT_DROPPED].peer, 1);
    toy_destroy(&network);
}

/// "The others and I play without you."
static void say_gone(uint32_t to, uint32_t from)
{
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    bksi_bit_writer writer = bksi_bit_writer_over(body, sizeof(body));
    const bksi_gone message = {.view = 1, .count = 1, .hashes = {0, 77}, .members = {0, 3}};
    bksi_gone_write(&writer, &message);
    inside_say(session_of(to), network.now_ns, session_of(from), BKSI_PACKET_VIEW, body,
               bksi_bit_writer_bytes(&writer));
}

/// A guest that says so while the host is there lies.
static void a_guest_that_hears_the_host_believes_no_other_that_it_is_out(void **context)
{
    (void)context;
    toy_create(&network, 4, 1, NULL);
    toy_cut(&network, 2, 3, true); // they are not ready for two seconds
    toy_run_until(&network, 1000 * TOY_MS);
    assert_int_equal(phase_of(2), BKS_PHASE_GATHERING);
    assert_int_equal(roster_of(2).peers, 4);
    say_gone(2, 1);
    toy_run_until(&network, 5 * SECONDS);
    assert_int_equal(phase_of(2), BKS_PHASE_RUNNING);
    say_gone(0, 1); // to a host it means nothing at any time
    toy_run_until(&network, 30 * SECONDS);
    for (uint32_t i = 0; i < 4; i++) {
        assert_ended_right(i, 4);
    }
    toy_destroy(&network);
}

// ---- the start ----

/// A peer may have its first tick, and leave, before another has heard of the start.
static void a_guest_that_leaves_before_the_others_first_tick_leaves_the_match(void **context)
{
    (void)context;
    for (uint32_t peers = 2; peers <= 4; peers++) {
        uint32_t started = 0;
        for (uint64_t ms = 0; ms < 400; ms += 5) {
            toy_create(&network, peers, 1, NULL);
            toy_run_until(&network, ms * TOY_MS);
            leave(1);
            toy_run_until(&network, 1000 * TOY_MS);
            assert_int_equal(phase_of(1), BKS_PHASE_ENDED);
            assert_true(phase_of(0) == BKS_PHASE_RUNNING || phase_of(0) == BKS_PHASE_GATHERING);
            started += phase_of(0) == BKS_PHASE_RUNNING ? 1 : 0;
            for (uint32_t k = 2; k < peers; k++) {
                if (phase_of(k) != phase_of(0)) {
                    fail_msg("%u peers, left after %d ms: peer %u is in phase %d, the host in %d",
                             peers, (int)ms, k, (int)phase_of(k), (int)phase_of(0));
                }
            }
            toy_destroy(&network);
        }
        assert_in_range(started, 20, 70);
    }
}

static void a_match_starts_under_heavy_loss(void **context)
{
    (void)context;
    uint64_t slowest_ns = 0;
    for (uint64_t seed = 1; seed <= seed_rounds(40); seed++) {
        toy_create(&network, 4, seed, NULL);
        network.loss_percent = 30;
        network.jitter_ns = 10 * TOY_MS;
        toy_run_until(&network, 4 * SECONDS);
        for (uint32_t i = 0; i < 4; i++) {
            if (phase_of(i) != BKS_PHASE_RUNNING) {
                fail_msg("seed %d: peer %u did not start", (int)seed, i);
            }
            slowest_ns = connect_ns(i) > slowest_ns ? connect_ns(i) : slowest_ns;
        }
        toy_destroy(&network);
    }
    print_message("slowest start: %d ms\n", (int)(slowest_ns / TOY_MS));
    assert_true(slowest_ns < 2 * SECONDS);
}

/// The host sends its ROSTER more than once, and an older word may come after a newer one.
static void a_roster_that_was_overtaken_changes_nothing(void **context)
{
    (void)context;
    uint64_t slowest_ns = 0;
    for (uint64_t seed = 1; seed <= seed_rounds(80); seed++) {
        toy_create(&network, 5, seed, NULL);
        network.delay_ns = 10 * TOY_MS;
        network.jitter_ns = 40 * TOY_MS;
        toy_run_until(&network, 4 * SECONDS);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(phase_of(i), BKS_PHASE_RUNNING);
            slowest_ns = connect_ns(i) > slowest_ns ? connect_ns(i) : slowest_ns;
        }
        toy_destroy(&network);
    }
    print_message("slowest start: %d ms\n", (int)(slowest_ns / TOY_MS));
    assert_true(slowest_ns < 700 * TOY_MS);
}

/// From the first peer's first tick to the last's.
static uint64_t spread_of_first_ticks(uint32_t peers)
{
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    for (uint32_t i = 0; i < peers; i++) {
        assert_int_equal(phase_of(i), BKS_PHASE_RUNNING);
        first_ns = connect_ns(i) < first_ns ? connect_ns(i) : first_ns;
        last_ns = connect_ns(i) > last_ns ? connect_ns(i) : last_ns;
    }
    return last_ns - first_ns;
}

static void first_ticks_over_equal_links_lie_within_a_tick(void **context)
{
    (void)context;
    static const uint64_t delays_ms[] = {1, 10, 50, 120, 300};
    for (uint32_t d = 0; d < 5; d++) {
        toy_create(&network, 4, 1, NULL);
        network.delay_ns = delays_ms[d] * TOY_MS;
        toy_run_until(&network, 4 * SECONDS);
        uint64_t spread_ns = spread_of_first_ticks(4);
        print_message("%d ms one way: first ticks within %d us\n", (int)delays_ms[d],
                      (int)(spread_ns / 1000));
        assert_true(spread_ns <= 16 * TOY_MS);
        toy_destroy(&network);
    }
}

/// Count the matches that begin within `ms`, of 40 with 4 peers.
static uint32_t matches_that_start_within(uint64_t ms, uint64_t jitter_ms, uint32_t loss_percent)
{
    uint32_t count = 0;
    uint64_t worst_ns = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        toy_create(&network, 4, seed, NULL);
        network.delay_ns = 80 * TOY_MS;
        network.jitter_ns = jitter_ms * TOY_MS;
        network.loss_percent = loss_percent;
        toy_run_until(&network, 4 * SECONDS);
        uint64_t spread_ns = spread_of_first_ticks(4);
        worst_ns = spread_ns > worst_ns ? spread_ns : worst_ns;
        count += spread_ns <= ms * TOY_MS;
        toy_destroy(&network);
    }
    print_message("jitter %d ms, loss %d %%: %d of 40 start within %d ms, all within %d us\n",
                  (int)jitter_ms, (int)loss_percent, (int)count, (int)ms, (int)(worst_ns / 1000));
    return count;
}

/// A lost message about the start is repeated before it is too late.
static void loss_does_not_part_the_first_ticks(void **context)
{
    (void)context;
    assert_true(matches_that_start_within(2, 0, 25) >= 39);
}

/// A late packet carries the time, and its round trip shows how late it is.
static void jitter_hardly_parts_the_first_ticks(void **context)
{
    (void)context;
    assert_true(matches_that_start_within(30, 30, 0) >= 39);
    assert_true(matches_that_start_within(16, 30, 0) >= 26);
}

/// Sessions that are updated every millisecond, as a match does whenever a packet comes, until all
/// run. The toy network sleeps until a session's own time instead.
static void run_eagerly(bks_session **sessions, uint32_t peers, uint64_t way_ms)
{
    static toy_packet packets[512];
    size_t sent = 0;
    for (uint64_t ms = 0; ms < 4000; ms++) {
        for (size_t i = 0; i < sent; i++) {
            if (packets[i].arrives_ns != ms * TOY_MS) {
                continue;
            }
            bks_address from = toy_address(packets[i].from);
            assert_int_equal(bks_session_receive(sessions[packets[i].to], ms * TOY_MS, &from,
                                                 packets[i].bytes, packets[i].count),
                             BKS_OK);
        }
        uint32_t running = 0;
        for (uint32_t p = 0; p < peers; p++) {
            bks_op op;
            bks_op_result result = {.hash = 1};
            assert_int_equal(bks_session_update(sessions[p], ms * TOY_MS), BKS_OK);
            while (bks_session_next(sessions[p], &op)) {
                assert_int_equal(bks_session_done(sessions[p], &op, &result), BKS_OK);
            }
            bks_address to;
            size_t count;
            while ((count = bks_session_send(sessions[p], &to, packets[sent].bytes,
                                             BKS_PACKET_BYTES_MAX)) > 0) {
                packets[sent].count = count;
                packets[sent].from = p;
                packets[sent].to = (uint32_t)to.bytes[0] - 1;
                packets[sent].arrives_ns = (ms + way_ms) * TOY_MS;
                assert_true(++sent < 512);
            }
            running += bks_session_phase(sessions[p]) == BKS_PHASE_RUNNING;
        }
        if (running == peers) {
            return;
        }
    }
    fail_msg("the match did not start");
}

/// All must start after `ways` ways through the network, give or take the whole milliseconds of
/// this clock.
static void assert_connects_in(uint32_t peers, uint64_t ways)
{
    static const uint64_t ways_ms[] = {1, 5, 33, 50, 150};
    for (uint32_t w = 0; w < 5; w++) {
        bks_session *sessions[3];
        for (uint32_t i = 0; i < peers; i++) {
            bks_session_config config = toy_config(i, peers);
            assert_int_equal(bks_session_create(&config, &sessions[i], NULL), BKS_OK);
        }
        run_eagerly(sessions, peers, ways_ms[w]);
        for (uint32_t i = 0; i < peers; i++) {
            bks_stats stats;
            assert_int_equal(bks_session_stats(sessions[i], &stats), BKS_OK);
            uint64_t ms = stats.connect_ns / TOY_MS;
            print_message("%d ms of round trip: peer %u starts after %d ms\n", (int)ways_ms[w] * 2,
                          i, (int)ms);
            uint64_t least_ms = ways * ways_ms[w] + WARM_UP_NS / TOY_MS;
            assert_in_range(ms, least_ms, least_ms + 2);
            bks_session_destroy(sessions[i]);
        }
    }
}

static void two_peers_connect_in_two_round_trips_and_a_warm_up(void **context)
{
    (void)context;
    assert_connects_in(2, 4);
}

static void three_peers_connect_in_three_round_trips_and_a_warm_up(void **context)
{
    (void)context;
    // One more than two need: guests reach each other once they know of each other.
    assert_connects_in(3, 6);
}

static void no_peer_steps_before_all_are_there(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    network.peers[2].is_frozen = true;
    toy_run_until(&network, 4 * SECONDS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(phase_of(i), BKS_PHASE_GATHERING);
        assert_int_equal(network.peers[i].events[BKS_EVENT_STARTED], 0);
        assert_int_equal(network.peers[i].step_ops, 0);
        assert_int_equal(network.peers[i].sample_count[0], 0);
        assert_int_equal(roster_of(i).peers, 0);
    }
    network.peers[2].is_frozen = false;
    assert_true(toy_run_to_end(&network, 30 * SECONDS));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_STARTED], 1);
    }
    toy_destroy(&network);
}

// Where a packet takes no time, a guest's fast clock makes the way look shorter than nothing.
static void a_guest_with_a_fast_clock_on_a_fast_network_starts_too(void **context)
{
    (void)context;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        toy_create(&network, 2, seed, NULL);
        network.delay_ns = 0;
        network.jitter_ns = 0;
        network.loss_percent = 30;
        network.peers[1].drift_ppm = 400;
        toy_run_until(&network, 3 * SECONDS);
        if (phase_of(0) != BKS_PHASE_RUNNING || phase_of(1) != BKS_PHASE_RUNNING) {
            fail_msg("seed %u: not started after 3 s", seed);
        }
        toy_destroy(&network);
    }
}

static void a_lobby_that_waits_sends_each_peer_4_packets_a_second(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    network.peers[2].is_frozen = true; // peer 1 waits with the host
    toy_run_until(&network, 1 * SECONDS);
    uint32_t host = network.peers[0].packets_sent;
    uint32_t guest = network.peers[1].packets_sent;
    toy_run_until(&network, 3 * SECONDS);
    assert_in_range(network.peers[0].packets_sent - host, 7, 9);
    assert_in_range(network.peers[1].packets_sent - guest, 7, 9);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_with_another_key_gets_not_one_byte_back),
        cmocka_unit_test(one_guest_too_many_is_refused_and_the_others_play),
        cmocka_unit_test(a_guest_that_comes_while_the_match_runs_learns_it),
        cmocka_unit_test(a_seat_that_is_taken_is_refused_to_the_second),
        cmocka_unit_test(seats_of_one_guest_lie_together_or_it_is_refused),
        cmocka_unit_test(a_join_that_comes_again_takes_no_second_seat),
        cmocka_unit_test(a_guest_that_vanishes_while_gathering_gives_its_seat_back),
        cmocka_unit_test(a_guest_that_vanishes_while_linking_gives_its_seat_back),
        cmocka_unit_test(a_number_between_others_may_be_nobodys),
        cmocka_unit_test(a_guest_that_leaves_gives_its_seat_back_at_once),
        cmocka_unit_test(a_goodbye_before_the_start_is_repeated_until_it_is_heard),
        cmocka_unit_test(a_guest_that_was_killed_and_comes_back_has_its_seat_at_once),
        cmocka_unit_test(every_guest_knows_that_the_host_left_or_fell_silent),
        cmocka_unit_test(a_host_that_slept_does_not_wait_for_a_guest_that_gave_it_up),
        cmocka_unit_test(a_guest_that_missed_the_start_and_was_dropped_hears_so_of_the_host),
        cmocka_unit_test(a_guest_that_missed_the_start_believes_another_while_the_host_is_silent),
        cmocka_unit_test(a_guest_that_hears_the_host_believes_no_other_that_it_is_out),
        cmocka_unit_test(a_guest_that_leaves_before_the_others_first_tick_leaves_the_match),
        cmocka_unit_test(a_match_starts_under_heavy_loss),
        cmocka_unit_test(a_roster_that_was_overtaken_changes_nothing),
        cmocka_unit_test(first_ticks_over_equal_links_lie_within_a_tick),
        cmocka_unit_test(loss_does_not_part_the_first_ticks),
        cmocka_unit_test(jitter_hardly_parts_the_first_ticks),
        cmocka_unit_test(two_peers_connect_in_two_round_trips_and_a_warm_up),
        cmocka_unit_test(three_peers_connect_in_three_round_trips_and_a_warm_up),
        cmocka_unit_test(no_peer_steps_before_all_are_there),
        cmocka_unit_test(a_guest_with_a_fast_clock_on_a_fast_network_starts_too),
        cmocka_unit_test(a_lobby_that_waits_sends_each_peer_4_packets_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
