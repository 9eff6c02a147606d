// SPDX-License-Identifier: MIT

// The host drops a peer that all hear, and what it knows to decide it: how often each made it wait.

#include <stdio.h>

#include "session/inside.h"
#include "session/one_network.h"

#define SEEDS 40u

static uint32_t seed;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->tuning.drop_after_ms = 2000;
}

static void begin(uint32_t peers)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 21;
    run_for(3000 + seed * 17 % 100);
}

static void end(void)
{
    toy_destroy(&network);
    network.peer_count = 0;
}

static int reset(void **state)
{
    (void)state;
    seed = 1;
    return 0;
}

static uint32_t raised(uint32_t peer, bks_event_kind kind)
{
    return network.peers[peer].events[kind];
}

/// The peers of a mask play on in one view without any other, and all their hashes are the same.
static void assert_together(uint32_t peers)
{
    const uint32_t first = bksi_peers_lowest(peers);
    const bks_roster roster = roster_of(first);
    assert_true(network.peers[first].seen > 150);
    EACH_PEER (i, peers) {
        const bks_roster other = roster_of(i);
        assert_int_equal(phase_of(i), BKS_PHASE_RUNNING);
        assert_int_equal(other.view, roster.view);
        for (uint32_t k = 0; k < network.peer_count; k++) {
            assert_int_equal(other.is_in[k], (peers >> k & 1) != 0);
            assert_int_equal(other.end[k], roster.end[k]);
        }
        const bks_tick seen = network.peers[first].seen < network.peers[i].seen
                                  ? network.peers[first].seen
                                  : network.peers[i].seen;
        for (bks_tick t = 0; t < seen; t++) {
            if (network.peers[i].published[t] != network.peers[first].published[t]) {
                fail_msg("seed %u: peers %u and %u differ at %d", seed, i, first, (int)t);
            }
        }
    }
}

static void the_others_play_on_without_a_peer_that_the_host_drops(void **state)
{
    (void)state;
    for (seed = 1; seed <= SEEDS; seed++) {
        const uint32_t peers = 2 + seed % 4;
        const uint32_t out = 1 + seed / 4 % (peers - 1);
        begin(peers);
        assert_int_equal(bks_session_drop(session_of(0), out), BKS_OK);
        assert_int_equal(bks_session_drop(session_of(0), out), BKS_OK); // said again
        run_for(4000);
        assert_together(((1u << peers) - 1) & ~(1u << out));
        assert_int_equal(bks_session_drop(session_of(0), out), BKS_ERR_PEER_LOST);
        assert_int_equal(raised(out, BKS_EVENT_DROPPED), 1);
        assert_int_equal(bks_session_status(session_of(out)), BKS_ERR_PEER_LOST);
        for (uint32_t i = 0; i < peers; i++) {
            assert_int_equal(raised(i, BKS_EVENT_LEFT), i == out ? 0 : 1);
        }
        end();
    }
}

static void dropping_takes_a_round_trip_and_the_event_says_that_the_host_did(void **state)
{
    (void)state;
    begin(3);
    network.delay_ns = 50 * TOY_MS;
    network.jitter_ns = network.loss_percent = 0;
    run_for(1000);
    assert_int_equal(bks_session_drop(session_of(0), 1), BKS_OK);
    run_for(2 * 50 + 40);
    assert_int_equal(raised(0, BKS_EVENT_LEFT), 1);
    run_for(50 + 20);
    assert_int_equal(raised(2, BKS_EVENT_LEFT), 1);
    char text[128];
    for (uint32_t i = 0; i < 3; i += 2) {
        const bks_event *event = &network.peers[i].last[BKS_EVENT_LEFT];
        assert_int_equal(event->peer, 1);
        (void)snprintf(text, sizeof(text),
                       "peer 1 was dropped by the host at tick %d, the match continues",
                       (int)event->tick);
        assert_string_equal(event->text, text);
    }
    run_for(50);
    assert_int_equal(raised(1, BKS_EVENT_DROPPED), 1);
    end();
}

static void two_can_be_dropped_at_once_or_one_after_the_other(void **state)
{
    (void)state;
    for (seed = 1; seed <= 10; seed++) {
        begin(5);
        assert_int_equal(bks_session_drop(session_of(0), 3), BKS_OK);
        run_for(seed % 3 * 40);
        assert_int_equal(bks_session_drop(session_of(0), 1), BKS_OK);
        run_for(5000);
        assert_together(1 | 1u << 2 | 1u << 4);
        end();
    }
}

// The second is dropped just before the answer comes that decides the ballot about the first.
static void one_that_is_dropped_while_a_ballot_is_decided_goes_too(void **state)
{
    (void)state;
    for (uint32_t ms = 35; ms < 65; ms++) {
        begin(4);
        network.delay_ns = 20 * TOY_MS;
        network.jitter_ns = network.loss_percent = 0;
        run_for(500);
        assert_int_equal(bks_session_drop(session_of(0), 3), BKS_OK);
        run_for(ms);
        const bks_status status = bks_session_drop(session_of(0), 1);
        assert_int_equal(status, BKS_OK);
        run_for(2000);
        assert_together(1 | 1u << 2);
        end();
    }
}

// Some agreed to let it go, some did not hear of it: either way those that are left stay together.
static void a_host_that_is_lost_meanwhile_parts_none(void **state)
{
    (void)state;
    uint32_t dropped = 0;
    for (seed = 1; seed <= SEEDS; seed++) {
        begin(4);
        assert_int_equal(bks_session_drop(session_of(0), 3), BKS_OK);
        network.cut[0] = seed % 3 == 0 ? 0 : 1u << (seed % 2 + 1);
        run_for(network.delay_ns / TOY_MS + seed % 40);
        network.peers[0].is_frozen = true;
        run_for(12000);
        const bool is_in = roster_of(1).is_in[3];
        dropped += is_in ? 0 : 1;
        assert_together(is_in ? 0xe : 0x6);
        end();
    }
    assert_in_range(dropped, 1, SEEDS);
}

static void only_the_host_of_a_match_that_runs_drops_another_peer_that_is_in(void **state)
{
    (void)state;
    toy_create(&network, 3, 1, tune);
    assert_int_equal(bks_session_drop(NULL, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_drop(session_of(0), 1), BKS_ERR_BAD_ARGUMENT); // not yet
    run_for(3000);
    assert_int_equal(bks_session_drop(session_of(1), 2), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_drop(session_of(0), 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_drop(session_of(0), 3), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_session_drop(session_of(0), UINT32_MAX), BKS_ERR_BAD_ARGUMENT);
    run_for(1000);
    assert_together(7);
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    run_for(2000);
    assert_int_equal(bks_session_drop(session_of(0), 1), BKS_ERR_BAD_ARGUMENT); // no more
    assert_int_equal(bks_session_drop(session_of(1), 2), BKS_OK); // that one is it now
    run_for(2000);
    assert_together(1u << 1);
    end();
}

/// A ballot of a peer that drops one who is heard.
static void say_drop(uint32_t from, uint32_t to, uint32_t leavers, uint32_t dropped)
{
    const session_common *common = &session_of(to)->common;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    const bksi_propose message = {
        .base = bksi_membership_name(&common->membership, common->membership.view),
        .number = 1,
        .leavers = leavers,
        .dropped = dropped};
    bksi_propose_write(&writer, &message);
    inside_say(session_of(to), network.now_ns, session_of(from), BKSI_PACKET_VIEW, bytes,
               bksi_bit_writer_bytes(&writer));
}

static uint32_t frozen_at(uint32_t peer)
{
    return session_of(peer)->common.membership.frozen;
}

static void a_guests_ballot_drops_none_that_is_heard(void **state)
{
    (void)state;
    begin(4);
    const uint64_t refused = stats_of(1).packets_refused;
    say_drop(2, 1, 1u << 3, 1u << 3);
    assert_int_equal(stats_of(1).packets_refused, refused + 1);
    assert_int_equal(frozen_at(1), 0);
    say_drop(0, 1, 1u << 3, 0); // the host's, but not of its own will
    assert_int_equal(frozen_at(1), 0);
    say_drop(0, 1, 0, 1u << 3); // none that leaves
    assert_int_equal(frozen_at(1), 0);
    assert_int_equal(stats_of(1).packets_refused, refused + 2);
    session_of(1)->views.ballots.newest[0].number = 0;
    say_drop(0, 1, 1u << 3, 1u << 3); // the host's
    assert_int_equal(frozen_at(1), 1u << 3);
    end();
}

// ---- how often each made us wait ----

static void waiting_is_counted_for_the_peer_whose_inputs_are_missing(void **state)
{
    (void)state;
    begin(4);
    network.jitter_ns = network.loss_percent = 0;
    network.delay_ns = 20 * TOY_MS;
    run_for(1000);
    const bks_stats before = stats_of(0);
    network.peers[2].is_frozen = true;
    run_for(1000);
    network.peers[2].is_frozen = false;
    run_for(1000);
    const bks_stats after = stats_of(0);
    const uint64_t starved = after.starved_ticks - before.starved_ticks;
    assert_in_range(starved, 30, 60); // a second less the window of 20
    for (uint32_t i = 0; i < 4; i++) {
        const bks_link_stats *a = &before.links[i];
        const bks_link_stats *b = &after.links[i];
        assert_int_equal(b->waited_ticks - a->waited_ticks, i == 2 ? starved : 0);
        const double ms = b->waited_ms - a->waited_ms;
        const double tick_ms = 1000.0 / 60;
        assert_true(i == 2 ? ms > (double)(starved - 1) * tick_ms - 1 &&
                                 ms < (double)(starved + 1) * tick_ms + 1
                           : ms == 0);
    }
    end();
}

static void two_that_are_missed_at_once_both_count(void **state)
{
    (void)state;
    begin(4);
    network.jitter_ns = network.loss_percent = 0;
    network.delay_ns = 20 * TOY_MS;
    run_for(1000);
    const bks_stats before = stats_of(0);
    network.peers[1].is_frozen = network.peers[2].is_frozen = true;
    run_for(800);
    network.peers[1].is_frozen = false;
    run_for(400);
    network.peers[2].is_frozen = false;
    run_for(1000);
    const bks_stats after = stats_of(0);
    const uint64_t first = after.links[1].waited_ticks - before.links[1].waited_ticks;
    const uint64_t second = after.links[2].waited_ticks - before.links[2].waited_ticks;
    assert_int_equal(second, after.starved_ticks - before.starved_ticks);
    assert_in_range(second - first, 18, 30); // the 400 ms
    assert_true(first > 15);
    assert_int_equal(after.links[3].waited_ticks, before.links[3].waited_ticks);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_others_play_on_without_a_peer_that_the_host_drops, reset),
        cmocka_unit_test_setup(dropping_takes_a_round_trip_and_the_event_says_that_the_host_did,
                               reset),
        cmocka_unit_test_setup(two_can_be_dropped_at_once_or_one_after_the_other, reset),
        cmocka_unit_test_setup(one_that_is_dropped_while_a_ballot_is_decided_goes_too, reset),
        cmocka_unit_test_setup(a_host_that_is_lost_meanwhile_parts_none, reset),
        cmocka_unit_test_setup(only_the_host_of_a_match_that_runs_drops_another_peer_that_is_in,
                               reset),
        cmocka_unit_test_setup(a_guests_ballot_drops_none_that_is_heard, reset),
        cmocka_unit_test_setup(waiting_is_counted_for_the_peer_whose_inputs_are_missing, reset),
        cmocka_unit_test_setup(two_that_are_missed_at_once_both_count, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
