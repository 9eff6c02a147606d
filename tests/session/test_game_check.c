// SPDX-License-Identifier: MIT

// Members whose own state is none for their game: no other could take it, so it does not count.

#include "base/mutant.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "session/session_internal.h"
#include "support/seed.h"

enum { FLIP = 100, SEEDS = 12, TICKS = 400 };

static void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = TICKS;
    config->tuning.on_desync = peer == 0 ? BKS_ON_DESYNC_RESYNC : BKS_ON_DESYNC_REPORT;
    config->tuning.keep_ticks = 64;
}

/// The game refuses what the last peer never had.
static bool refuses_wrong(bks_tick tick, uint64_t state)
{
    return tick < 1 || state != network.peers[network.peer_count - 1].stepped[tick - 1];
}

static bool refuses_all(bks_tick tick, uint64_t state)
{
    (void)tick;
    (void)state;
    return true;
}

/// @param odd  the lowest are alike, and wrong from one tick on
static void begin(uint32_t peers, uint32_t odd, uint32_t seed, bool (*refuses)(bks_tick, uint64_t))
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 16;
    for (uint32_t i = 0; i < peers; i++) {
        network.peers[i].flip_tick = i < odd ? FLIP : BKS_TICK_NONE;
        network.peers[i].refuses = refuses;
    }
}

static void play(void)
{
    assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
}

/// All are as the last peer from one tick on, which is the same for all, and say so.
static void assert_as_the_last(uint32_t odd)
{
    const toy_peer *last = &network.peers[network.peer_count - 1];
    for (uint32_t i = 0; i < network.peer_count; i++) {
        const toy_peer *peer = &network.peers[i];
        bks_repair repairs[BKS_REPAIRS_MAX];
        assert_int_equal(bks_session_status(peer->session), BKS_OVER);
        assert_int_equal(bks_session_repairs(peer->session, repairs, BKS_REPAIRS_MAX), odd);
        assert_in_range(repairs[0].tick, FLIP + 1, TICKS);
        for (bks_tick tick = repairs[0].tick; tick <= TICKS; tick++) {
            assert_true(peer->published[tick] == last->stepped[tick - 1]);
        }
    }
}

static void a_side_with_the_host_whose_state_its_game_refuses_is_repaired(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        begin(4, 2, seed, refuses_wrong);
        play();
        assert_as_the_last(2);
        toy_destroy(&network);
    }
}

static void so_are_most_of_them(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        begin(4, 3, seed, refuses_wrong);
        play();
        assert_as_the_last(3);
        toy_destroy(&network);
    }
}

static void were_that_side_to_count_the_match_would_stop(void **state)
{
    (void)state;
    begin(4, 2, 1, refuses_wrong);
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_MEND_UNSOUND);
    play();
    (void)bksi_mutant_set(before);
    assert_int_equal(bks_session_status(session_of(3)), BKS_ERR_DESYNC);
    toy_destroy(&network);
}

/// There is nothing that another could take.
static void where_each_is_refused_the_match_stops(void **state)
{
    (void)state;
    begin(3, 1, 1, refuses_all);
    play();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_with_the_host_whose_state_its_game_refuses_is_repaired),
        cmocka_unit_test(so_are_most_of_them),
        cmocka_unit_test(were_that_side_to_count_the_match_would_stop),
        cmocka_unit_test(where_each_is_refused_the_match_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
