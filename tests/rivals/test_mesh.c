// SPDX-License-Identifier: MIT

// Where other libraries lose players, or inform them late. Whose failure each test stands for, and
// which tests of the rooms go deeper, is in docs/rivals.md.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/inside.h"
#include "session/one_network.h"
#include "support/seed.h"

#define SECONDS (1000 * TOY_MS)

/// Both play on, in one view, and their states are those of inputs that end where they say.
static void assert_survivors_agree(uint32_t leaver)
{
    bks_tick ends[BKS_PLAYERS_MAX];
    const bks_roster host = roster_of(0);
    for (uint32_t i = 0; i < 3; i++) {
        ends[i] = host.end[i];
    }
    assert_true(ends[leaver] != BKS_TICK_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        if (i == leaver) {
            continue;
        }
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_RUNNING);
        assert_int_equal(roster_of(i).end[leaver], ends[leaver]);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        bks_tick tick = bks_session_published(session_of(i));
        assert_true(tick > ends[leaver] + 60);
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(session_of(i), tick, &hash), BKS_OK);
        assert_true(hash == toy_straight_run_ending(3, tick, network.hold_input_ticks, ends));
    }
}

/// ggrs: one of three drops, the others hold different last inputs of it, and one panics.
static void survivors_agree_on_the_last_input_of_a_dropped_peer(void **context)
{
    (void)context;
    uint32_t apart = 0;
    for (uint32_t round = 0; round < 40; round++) {
        toy_create(&network, 3, seed_next(), tune_endless);
        network.jitter_ns = 30 * TOY_MS;
        run_for(1000 + seed_below(1000));
        // One of the two hears the last ticks of the third, the other does not.
        network.cut[2] = 1u << seed_below(2);
        run_for(20 + seed_below(120));
        network.peers[2].is_frozen = true;
        network.cut[2] = 3;
        run_for(20);
        bks_tick a = bksi_common_head(&session_of(0)->common, 2);
        bks_tick b = bksi_common_head(&session_of(1)->common, 2);
        apart += a - b >= 2 || b - a >= 2;
        run_for(8000);
        assert_survivors_agree(2);
        assert_true(roster_of(0).end[2] >= (a > b ? a : b)); // nothing that a peer has is lost
        toy_destroy(&network);
    }
    assert_true(apart > 20); // or it tests little
}

/// Run until a peer has an event, in steps of a millisecond. Returns when.
static uint64_t when_known(uint32_t peer, bks_event_kind kind)
{
    while (network.peers[peer].events[kind] == 0) {
        assert_true(network.now_ns < 60 * SECONDS);
        run_for(1);
    }
    return network.now_ns;
}

/// ggrs: a kicked peer does not learn it for 7 s.
static void a_kicked_peer_learns_it_at_once(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_endless);
    run_for(2000);
    network.cut[2] = 3; // no peer hears it, it hears all
    uint64_t dropped_ns = when_known(0, BKS_EVENT_LEFT);
    uint64_t known_ns = when_known(2, BKS_EVENT_DROPPED);
    // One peer's word does not move it out: the other's comes after the COMMIT reached that one.
    assert_true(known_ns <= dropped_ns + 2 * network.delay_ns + 2 * TOY_MS);
    assert_int_equal(bks_session_phase(session_of(2)), BKS_PHASE_FAILED);
    toy_destroy(&network);

    // A peer that could not hear it learns it by the first answer to its first packet.
    toy_create(&network, 3, 1, tune_endless);
    run_for(2000);
    network.peers[2].is_frozen = true;
    (void)when_known(0, BKS_EVENT_LEFT);
    run_for(500);
    network.peers[2].is_frozen = false;
    uint64_t back_ns = network.now_ns;
    known_ns = when_known(2, BKS_EVENT_DROPPED);
    assert_true(known_ns <= back_ns + 2 * network.delay_ns + 20 * TOY_MS);
    toy_destroy(&network);
}

/// GekkoNet: a spectator 128 ticks behind freezes for good. Here a player, since there are no
/// spectators yet: behind by 240 ticks, more than the window and all that is on the way.
static void a_peer_far_behind_does_not_freeze_for_good(void **context)
{
    (void)context;
    for (uint32_t victim = 0; victim < 3; victim++) {
        toy_create(&network, 3, 1, NULL);
        run_for(2000);
        network.peers[victim].is_frozen = true;
        run_for(4000);
        network.peers[victim].is_frozen = false;
        assert_true(toy_run_to_end(&network, 30 * SECONDS));
        uint64_t expected = toy_straight_run(3, 600, network.hold_input_ticks);
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t hash = 0;
            assert_int_equal(bks_session_hash(session_of(i), 600, &hash), BKS_OK);
            assert_true(hash == expected);
            assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
        }
        toy_destroy(&network);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survivors_agree_on_the_last_input_of_a_dropped_peer),
        cmocka_unit_test(a_kicked_peer_learns_it_at_once),
        cmocka_unit_test(a_peer_far_behind_does_not_freeze_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
