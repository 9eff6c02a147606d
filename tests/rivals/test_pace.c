// SPDX-License-Identifier: MIT

// Where other libraries lose time, inputs or the right state. Whose failure each test stands for,
// and which tests of the rooms go deeper, is in docs/rivals.md.

#include "lab/some_lab.h"

#include "session/one_network.h"
#include "support/seed.h"

#define SECONDS (1000 * TOY_MS)

static bks_pace tuned_pace;
static bks_save_policy tuned_save;

static void assert_ends_agreed(bks_tick ticks)
{
    assert_true(toy_run_to_end(&network, 300 * SECONDS));
    uint64_t expected = toy_straight_run(network.peer_count, ticks, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(network.peers[i].session, ticks, &hash), BKS_OK);
        assert_true(hash == expected);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
}

static void tune_auto(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.delay_ticks = BKS_AUTO;
    config->ticks = 3000;
}

/// GekkoNet: raising the delay loses real inputs.
static void raising_the_delay_loses_no_input(void **context)
{
    (void)context;
    toy_create(&network, 3, seed_next(), tune_auto);
    network.delay_ns = 5 * TOY_MS;
    network.loss_percent = 5;
    network.hold_input_ticks = 1; // every tick has an input of its own to lose
    double least = 1000.0;
    double most = 0.0;
    for (uint32_t change = 0; change < 10; change++) {
        run_for(4000);
        network.delay_ns = change % 2 == 0 ? 160 * TOY_MS : 5 * TOY_MS;
        double mean = stats_of(0).input_delay_mean;
        least = mean < least ? mean : least;
        most = mean > most ? mean : most;
    }
    assert_true(least < 0.5 && most > 1.5); // it went up and down
    assert_ends_agreed(3000);
    for (uint32_t i = 0; i < 3; i++) {
        for (bks_tick tick = 0; tick < 3000; tick++) {
            assert_int_equal(network.peers[i].sample_count[tick], 1);
        }
    }
    toy_destroy(&network);
}

/// GGPO: confirms by the slowest of two hops, so that four players at 100 ms run at 32 a second.
/// Window and delay as they were measured there: room for one way, not for two.
static void four_players_at_100_ms_run_at_60(void **context)
{
    (void)context;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        bks_lab_config config = some_lab_config(seed, 4, 1800);
        config.tuning.window_ticks = 8;
        config.tuning.delay_ticks = 2;
        const bks_lab_result result = some_match(&config, "delay=100ms,jitter=20ms,loss=5%", NULL);
        assert_agreed(&result, 1800);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(result.peers[i].ticks, 1800);
            assert_in_range(result.peers[i].stats.starved_ticks, 0, 18);
            assert_int_equal(result.peers[i].stats.stalled_ticks, 0);
        }
        assert_true((double)result.match_ns < 30.6e9);
    }
}

static void tune_pace(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.pace = tuned_pace;
    config->ticks = 3600;
}

/// Run in steps of a millisecond.
/// @return the longest that a peer showed the same tick without waiting for inputs, in milliseconds
static uint32_t longest_freeze_ms(uint64_t until_ms)
{
    bks_tick shown[TOY_PEERS_MAX];
    uint64_t starved[TOY_PEERS_MAX];
    uint64_t since_ns[TOY_PEERS_MAX];
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < network.peer_count; i++) {
        shown[i] = bks_session_tick(network.peers[i].session);
        starved[i] = stats_of(i).starved_ticks;
        since_ns[i] = network.now_ns;
    }
    while (network.now_ns < until_ms * TOY_MS) {
        run_for(1);
        for (uint32_t i = 0; i < network.peer_count; i++) {
            if (shown[i] == bks_session_tick(network.peers[i].session)) {
                continue;
            }
            const uint64_t same_ns = network.now_ns - since_ns[i];
            const bool waited = stats_of(i).starved_ticks != starved[i];
            longest_ns = !waited && same_ns > longest_ns ? same_ns : longest_ns;
            shown[i] = bks_session_tick(network.peers[i].session);
            starved[i] = stats_of(i).starved_ticks;
            since_ns[i] = network.now_ns;
        }
    }
    return (uint32_t)(longest_ns / TOY_MS);
}

/// GGPO: time sync freezes the picture for 3 to 9 frames at a time. Here never two ticks in a row
/// are passed, and none at all by default.
static void time_sync_never_freezes_the_picture(void **context)
{
    (void)context;
    for (int pace = BKS_PACE_SLEW; pace <= BKS_PACE_STALL; pace++) {
        tuned_pace = (bks_pace)pace;
        toy_create(&network, 3, seed_next(), tune_pace);
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 5;
        network.peers[0].drift_ppm = 2000;
        network.peers[2].drift_ppm = -2000;
        run_for(1000);
        // Two ticks are 33.3 ms, and slewing makes each 2 % longer.
        assert_in_range(longest_freeze_ms(50000), 16, 36);
        uint64_t stalled = stats_of(0).stalled_ticks;
        assert_true(pace == BKS_PACE_STALL ? stalled > 5 : stalled == 0);
        toy_destroy(&network);
    }
    // Nor once a frozen machine is back.
    for (int pace = BKS_PACE_SLEW; pace <= BKS_PACE_STALL; pace++) {
        tuned_pace = (bks_pace)pace;
        toy_create(&network, 2, seed_next(), tune_pace);
        run_for(5000);
        network.peers[1].is_frozen = true;
        run_for(500);
        network.peers[1].is_frozen = false;
        run_for(250); // the other waited for it, which is no time sync
        assert_in_range(longest_freeze_ms(30000), 16, 36);
        toy_destroy(&network);
    }
}

/// ggrs, three times: false desyncs are reported where the prediction limit is reached.
static void no_false_alarm_near_the_prediction_limit(void **context)
{
    (void)context;
    uint64_t starved = 0;
    for (uint32_t seed = 1; seed <= 30; seed++) {
        bks_lab_config config = some_lab_config(seed, 2 + seed % 3, 600);
        config.tuning.window_ticks = 2 + seed % 7;
        config.tuning.delay_ticks = 0;
        config.tuning.save = (bks_save_policy)(seed % 3);
        const bks_lab_result result =
            some_match(&config, "delay=80ms,jitter=60ms,loss=15%,dup=5%,reorder=5%", NULL);
        assert_agreed(&result, 600);
        for (uint32_t i = 0; i < result.moment_count; i++) {
            if (strcmp(result.moments[i].name, "desync") == 0) {
                assert_int_equal(result.moments[i].count, 0);
            }
            if (strcmp(result.moments[i].name, "starved") == 0) {
                starved += result.moments[i].count;
            }
        }
    }
    assert_true(starved > 3000); // it was at its limit
}

static void tune_save(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.save = tuned_save;
    config->tuning.window_ticks = 1 + (uint32_t)(seed_next() % 20);
}

/// BestoNet: where the state to go back to is missing, another one is taken.
static void nothing_is_resimulated_from_the_wrong_state(void **context)
{
    (void)context;
    uint64_t loads = 0;
    for (uint32_t round = 0; round < 30; round++) {
        tuned_save = (bks_save_policy)(round % 3);
        toy_create(&network, 3, seed_next(), tune_save);
        network.jitter_ns = 80 * TOY_MS;
        network.loss_percent = 15;
        run_for(3000);
        network.peers[round % 3].is_frozen = true;
        run_for(700);
        network.peers[round % 3].is_frozen = false;
        assert_ends_agreed(600);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(network.peers[i].wrong_loads, 0);
            loads += network.peers[i].load_ops;
        }
        toy_destroy(&network);
    }
    assert_true(loads > 5000);
}

/// How far each peer came within 2 s of virtual time, and its longest wait for a new tick.
static void watch(bks_lab *lab, bks_tick ticks[BKS_PEERS_MAX], uint64_t longest_ns[BKS_PEERS_MAX])
{
    const uint64_t end_ns = bks_lab_now(lab) + 2 * SOME_SECOND_NS;
    bks_tick newest[BKS_PEERS_MAX];
    uint64_t since[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < 3; i++) {
        newest[i] = bks_session_tick(bks_peer_session(bks_lab_peer(lab, i)));
        ticks[i] = -newest[i];
        since[i] = bks_lab_now(lab);
        longest_ns[i] = 0;
    }
    while (bks_lab_now(lab) < end_ns) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 1000));
        for (uint32_t i = 0; i < 3; i++) {
            const bks_tick tick = bks_session_tick(bks_peer_session(bks_lab_peer(lab, i)));
            const uint64_t waited_ns = bks_lab_now(lab) - since[i];
            longest_ns[i] = waited_ns > longest_ns[i] ? waited_ns : longest_ns[i];
            since[i] = tick != newest[i] ? bks_lab_now(lab) : since[i];
            newest[i] = tick;
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        ticks[i] += newest[i];
    }
}

/// All: no budget for resimulation, so a slow machine spirals. This one takes three eighths of a
/// tick for a step, so that with rollbacks of 6 ticks an update takes 44 ms of the 17 there are.
static void a_slow_machine_does_not_spiral(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < 4; round++) {
        // The delay need not be raised.
        bks_lab_config config = some_lab_config(round + 1, 3, 1500);
        config.tuning.delay_ticks = round < 2 ? BKS_AUTO : 1;
        bks_lab *lab = some_lab(&config, "delay=80ms,jitter=10ms,loss=1%",
                                round % 2 == 0 ? "slow=1@3s+9s:3x" : "slow=1@3s+9s:6x");
        assert_true(bks_lab_advance(lab, 7 * SOME_SECOND_NS));
        for (uint32_t part = 0; part < 2; part++) { // it gets no worse
            bks_tick ticks[BKS_PEERS_MAX];
            uint64_t longest_ns[BKS_PEERS_MAX];
            watch(lab, ticks, longest_ns);
            for (uint32_t i = 0; i < 3; i++) {
                print_message("round %u, peer %u: %d ticks in 2 s, at most %d ms apart\n", round, i,
                              (int)ticks[i], (int)(longest_ns[i] / 1000000));
                assert_true(ticks[i] >= (round < 2 ? 90 : 36));
                assert_in_range(ticks[i], ticks[1] - 6, ticks[1] + 6);
                assert_true(longest_ns[i] <= SOME_SECOND_NS / 10);
            }
        }
        // The fault ends 12 s after the first tick, which is in the first second.
        assert_true(bks_lab_advance(lab, 15 * SOME_SECOND_NS));
        bks_tick ticks[BKS_PEERS_MAX];
        uint64_t longest_ns[BKS_PEERS_MAX];
        watch(lab, ticks, longest_ns);
        for (uint32_t i = 0; i < 3; i++) {
            assert_in_range(ticks[i], 116, 128);
        }
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
        bks_lab_result result;
        assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
        assert_agreed(&result, 1500);
        bks_lab_destroy(lab);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_machine_does_not_spiral),
        cmocka_unit_test(raising_the_delay_loses_no_input),
        cmocka_unit_test(four_players_at_100_ms_run_at_60),
        cmocka_unit_test(time_sync_never_freezes_the_picture),
        cmocka_unit_test(no_false_alarm_near_the_prediction_limit),
        cmocka_unit_test(nothing_is_resimulated_from_the_wrong_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
