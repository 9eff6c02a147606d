// SPDX-License-Identifier: MIT

#include "lab/lab_liar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"
#include "wire/packet.h"

#define SECONDS (1000 * TOY_MS)

static bksi_lab_liar lies;

static void no_honest_peer_equivocates(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    toy_run_until(&network, 5 * SECONDS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
    toy_destroy(&network);
}

// The liar and the third hold one input, the victim another: each sees which peer differs.
static void two_stories_are_found_out_by_the_chain_of_inputs(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    toy_run_until(&network, 3 * SECONDS);
    bks_session *liar = network.peers[1].session;
    const bks_tick tick = bksi_inspect_own_head(liar);
    lies = (bksi_lab_liar){0};
    bksi_lab_lie(&lies, liar, tick, 2);
    toy_run_until(&network, 6 * SECONDS);
    assert_true(lies.packets > 0);
    assert_int_equal(bksi_lab_lie_tick(&lies), tick);
    assert_true(network.peers[0].seen > tick + 60 && network.peers[2].seen > tick + 60);
    for (bks_tick t = 0; t <= tick; t++) {
        assert_true(network.peers[0].published[t] == network.peers[2].published[t]);
    }
    assert_true(network.peers[0].published[tick + 1] == network.peers[1].published[tick + 1]);
    assert_true(network.peers[0].published[tick + 1] != network.peers[2].published[tick + 1]);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(network.peers[i].events[BKS_EVENT_DESYNC] > 0);
        assert_int_equal(network.peers[i].last[BKS_EVENT_DESYNC].tick, tick + 1);
        assert_true(network.peers[i].last[BKS_EVENT_DESYNC].inputs_differ);
    }
    toy_destroy(&network);
}

/// A game that looks at nothing: no input changes its state.
static uint64_t step_blindly(uint64_t state, bks_tick tick, const int32_t *inputs, uint32_t players)
{
    (void)inputs;
    return state * 31 + (uint64_t)tick + players;
}

/// Peer 1 lies to peer 2; run until both have confirmed the tick.
static void lie_and_confirm(bool is_blind)
{
    network.step = is_blind ? step_blindly : NULL;
    toy_run_until(&network, 3 * SECONDS + toy_random(&network, 500) * TOY_MS);
    bks_tick tick = bksi_inspect_own_head(session_of(1));
    lies = (bksi_lab_liar){0};
    bksi_lab_lie(&lies, session_of(1), tick, 2);
    for (uint32_t ms = 0; bks_session_published(session_of(1)) <= tick ||
                          bks_session_published(session_of(2)) <= tick;
         ms++) {
        assert_true(ms < 2000);
        toy_run_until(&network, network.now_ns + TOY_MS);
    }
}

static uint32_t found(uint32_t peer)
{
    return network.peers[peer].events[BKS_EVENT_DESYNC];
}

static bool is_found(void)
{
    bool is_there = false;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        is_there |= found(i) > 0;
    }
    return is_there;
}

// Found by the states or, where the lie changes none, by the inputs alone.
static void a_lie_is_found_within_a_round_trip_and_two_ticks_of_confirmation(void **context)
{
    (void)context;
    const uint64_t two_ticks_ns = 2 * SECONDS / 60;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        toy_create(&network, 3 + seed % 3, seed, NULL);
        network.delay_ns = seed % 5 == 0 ? 0 : toy_random(&network, 150) * TOY_MS;
        lie_and_confirm(seed % 2 == 0);
        toy_run_until(&network, network.now_ns + 2 * network.delay_ns + two_ticks_ns);
        if (!is_found()) {
            fail_msg("seed %u: not found", seed);
        }
        toy_run_until(&network, network.now_ns + network.delay_ns + two_ticks_ns);
        assert_true(found(1) > 0 && found(2) > 0);
        toy_destroy(&network);
    }
}

// The bound in packets, for any loss: the first packet with inputs that is sent after both have
// confirmed and arrives shows it to the receiver, whose first hashes that arrive show it to the
// sender.
static void one_packet_with_inputs_and_one_with_hashes_are_enough(void **context)
{
    (void)context;
    for (uint32_t liar_hears = 0; liar_hears < 2; liar_hears++) {
        uint32_t a = 1 + liar_hears;
        uint32_t b = 2 - liar_hears;
        toy_create(&network, 3, 7, NULL);
        lie_and_confirm(liar_hears == 1);
        network.packet_count = 0;
        for (uint32_t i = 0; i < 3; i++) {
            network.lost_types[i] = UINT32_MAX;
        }
        toy_run_until(&network, network.now_ns + 60 * TOY_MS);
        network.lost_types[b] = ~(1u << BKSI_PACKET_INPUT);
        network.cut[b] = ~(1u << a);
        while (network.packet_count == 0) {
            toy_run_until(&network, network.now_ns + TOY_MS);
        }
        network.lost_types[b] = UINT32_MAX; // one was enough
        network.lost_types[a] = ~(1u << BKSI_PACKET_HASHES);
        toy_run_until(&network, network.now_ns + network.delay_ns);
        assert_int_equal(found(a) + found(b), 0);
        toy_run_until(&network, network.now_ns + SECONDS / 20 + network.delay_ns);
        assert_int_equal(found(b), 1);
        assert_int_equal(found(a), 0);
        toy_destroy(&network);
    }
}

static void without_the_other_peers_hashes_it_is_found_after_a_second(void **context)
{
    (void)context;
    toy_create(&network, 3, 5, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        network.lost_types[i] = 1u << BKSI_PACKET_HASHES;
    }
    lie_and_confirm(false);
    toy_run_until(&network, network.now_ns + 990 * TOY_MS);
    assert_false(is_found());
    toy_run_until(&network, network.now_ns + 60 * TOY_MS + network.delay_ns);
    assert_true(found(1) > 0 && found(2) > 0);
    assert_true(network.peers[2].last[BKS_EVENT_DESYNC].peer_hash == 0);
    toy_destroy(&network);
}

// Through the third, which cannot read it.
static void a_lie_takes_the_detour_and_is_found(void **context)
{
    (void)context;
    toy_create(&network, 3, 3, NULL);
    toy_run_until(&network, 3 * SECONDS);
    toy_cut(&network, 1, 2, true);
    toy_run_until(&network, 4 * SECONDS);
    bks_session *liar = session_of(1);
    lies = (bksi_lab_liar){0};
    bksi_lab_lie(&lies, liar, bksi_inspect_own_head(liar), 2);
    toy_run_until(&network, 5 * SECONDS);
    assert_true(lies.packets > 0);
    assert_true(is_found());
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_honest_peer_equivocates),
        cmocka_unit_test(two_stories_are_found_out_by_the_chain_of_inputs),
        cmocka_unit_test(a_lie_is_found_within_a_round_trip_and_two_ticks_of_confirmation),
        cmocka_unit_test(one_packet_with_inputs_and_one_with_hashes_are_enough),
        cmocka_unit_test(without_the_other_peers_hashes_it_is_found_after_a_second),
        cmocka_unit_test(a_lie_takes_the_detour_and_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
