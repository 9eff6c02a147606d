// SPDX-License-Identifier: MIT

// A resimulation ends early where the state is as before, and so are all inputs from there on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"

#define TICKS 600

static bks_save_policy tuned_policy;
static bool tuned_custom;
static uint32_t deaf_ticks; ///< of 16 ticks, the ones that do not look at the inputs

/// `jump` is tapped, so its guess after a tap is the same as before it.
static const bks_field tapped_fields[] = {
    {.name = "move", .bits = 9, .is_signed = true},
    {.name = "jump", .bits = 1, .predictor = BKS_PREDICT_RELEASE},
};

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->fields = tapped_fields;
    config->tuning.save = tuned_policy;
    config->custom_prediction = tuned_custom;
    config->ticks = TICKS;
}

static bool is_deaf(bks_tick tick)
{
    return (uint32_t)tick % 16 < deaf_ticks;
}

/// Ticks and what is heard, nothing else.
static uint64_t step(uint64_t state, bks_tick tick, const int32_t *inputs, uint32_t players)
{
    for (uint32_t p = 0; p < players && !is_deaf(tick); p++) {
        state = (state ^ (uint32_t)(inputs[p * 2] * 2 + inputs[p * 2 + 1] + (int32_t)p)) *
                0x9e3779b97f4a7c15ull;
    }
    return state + 1;
}

/// Once in 16 ticks, in the middle of those that may be deaf.
static void tap(uint32_t player, bks_tick tick, int32_t *input)
{
    input[0] = 0;
    input[1] = (uint32_t)tick % 16 == 3 + player;
}

/// Held for 5 ticks, so that changes come in the deaf ticks too.
static void hold(uint32_t player, bks_tick tick, int32_t *input)
{
    input[0] = toy_input(player, tick, 5);
    input[1] = 0;
}

static uint64_t straight_run(uint32_t players, bks_tick ticks)
{
    uint64_t state = 1;
    for (bks_tick t = 0; t < ticks; t++) {
        int32_t inputs[BKS_PLAYERS_MAX * 2];
        for (uint32_t p = 0; p < players; p++) {
            network.sample(p, t, inputs + (size_t)p * 2);
        }
        state = step(state, t, inputs, players);
    }
    return state;
}

static void begin(bks_save_policy policy, uint32_t deaf,
                  void (*sample)(uint32_t player, bks_tick tick, int32_t *input))
{
    tuned_policy = policy;
    deaf_ticks = deaf;
    toy_create(&network, 2, 3, tune);
    network.step = step;
    network.sample = sample;
}

static void assert_as_played_straight(void)
{
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    for (uint32_t i = 0; i < network.peer_count; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        for (bks_tick t = 0; t <= TICKS; t += 7) {
            assert_true(network.peers[i].published[t] == straight_run(2, t));
        }
    }
}

static void a_tap_that_changes_nothing_is_not_stepped_to_the_present(void **context)
{
    (void)context;
    begin(BKS_SAVE_EVERY, 8, tap);
    assert_as_played_straight();
    for (uint32_t i = 0; i < 2; i++) {
        bks_stats stats = stats_of(i);
        assert_in_range(stats.rollbacks, TICKS / 16 - 1, TICKS / 16 + 1);
        assert_true(stats.rollback_depth_sum > 2 * stats.rollbacks);
        // The wrong tick itself is stepped, and all after it is as it was.
        assert_int_equal(stats.early_ends, stats.rollbacks);
        assert_int_equal(stats.resimulated, stats.rollbacks);
        assert_int_equal(stats.early_end_ticks, stats.rollback_depth_sum - stats.rollbacks);
    }
    toy_destroy(&network);
}

static void a_tap_that_matters_is_stepped_to_the_present(void **context)
{
    (void)context;
    begin(BKS_SAVE_EVERY, 0, tap);
    assert_as_played_straight();
    for (uint32_t i = 0; i < 2; i++) {
        bks_stats stats = stats_of(i);
        assert_true(stats.rollbacks > 0);
        assert_int_equal(stats.early_ends + stats.early_end_ticks, 0);
        assert_int_equal(stats.resimulated, stats.rollback_depth_sum);
    }
    toy_destroy(&network);
}

static void it_does_not_end_while_a_later_input_is_another(void **context)
{
    (void)context;
    begin(BKS_SAVE_EVERY, 8, hold);
    assert_as_played_straight();
    assert_true(stats_of(0).rollbacks > 50);
    assert_int_equal(stats_of(0).early_ends, 0);
    toy_destroy(&network);
}

static void guesses_of_the_game_are_not_taken_for_known(void **context)
{
    (void)context;
    tuned_custom = true;
    begin(BKS_SAVE_EVERY, 8, tap);
    assert_as_played_straight();
    assert_true(stats_of(0).rollbacks > 0);
    assert_int_equal(stats_of(0).early_ends, 0);
    toy_destroy(&network);
    tuned_custom = false;
}

/// Taps that matter beside taps that do not, in any order: what was kept is used again.
static void snapshots_kept_after_an_early_end_are_true(void **context)
{
    (void)context;
    for (int policy = BKS_SAVE_EVERY; policy <= BKS_SAVE_ONE; policy++) {
        uint64_t early_ends = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            begin((bks_save_policy)policy, 4, tap);
            network.random = seed;
            network.loss_percent = 20;
            network.jitter_ns = 30 * TOY_MS;
            print_message("policy %d seed %d\n", policy, (int)seed);
            assert_as_played_straight();
            early_ends += stats_of(0).early_ends + stats_of(1).early_ends;
            toy_destroy(&network);
        }
        // `one` keeps nothing to continue from; `two` seldom does.
        assert_true(policy == BKS_SAVE_TWO || (early_ends > 0) == (policy == BKS_SAVE_EVERY));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tap_that_changes_nothing_is_not_stepped_to_the_present),
        cmocka_unit_test(a_tap_that_matters_is_stepped_to_the_present),
        cmocka_unit_test(it_does_not_end_while_a_later_input_is_another),
        cmocka_unit_test(guesses_of_the_game_are_not_taken_for_known),
        cmocka_unit_test(snapshots_kept_after_an_early_end_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
