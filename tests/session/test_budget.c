// SPDX-License-Identifier: MIT

// Costs of operations decide where snapshots lie, how late inputs are taken and how long ticks
// are, and nothing that peers must agree on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/inside.h"
#include "session/one_network.h"

#define TICKS 900

static bks_save_policy tuned_policy;
static uint32_t tuned_window;
static uint32_t tuned_budget_us;

static uint64_t step_ns; ///< STEP and HASH together
static uint64_t copy_ns; ///< SAVE and LOAD

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.save = tuned_policy;
    config->tuning.window_ticks = tuned_window;
    config->tuning.budget_us = tuned_budget_us;
    config->ticks = TICKS;
}

static uint64_t given_cost(toy_network *in, const toy_peer *peer, bks_op_kind kind)
{
    (void)in;
    (void)peer;
    switch (kind) {
    case BKS_OP_STEP:
        return step_ns * 3 / 4;
    case BKS_OP_HASH:
        return step_ns - step_ns * 3 / 4;
    case BKS_OP_SAVE:
    case BKS_OP_LOAD:
        return copy_ns;
    default:
        return 0;
    }
}

/// Anything from nothing to half a second.
static uint64_t any_cost(toy_network *in, const toy_peer *peer, bks_op_kind kind)
{
    (void)peer;
    (void)kind;
    return toy_random(in, 1u << toy_random(in, 30));
}

static void begin(bks_save_policy policy, uint64_t seed)
{
    tuned_policy = policy;
    toy_create(&network, 2, seed, tune);
    network.cost_ns = given_cost;
    network.delay_ns = 80 * TOY_MS;
    network.jitter_ns = 5 * TOY_MS;
}

static void assert_agreed(void)
{
    assert_true(toy_run_to_end(&network, 120000 * TOY_MS));
    uint64_t wanted = toy_straight_run(network.peer_count, TICKS, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(bks_session_hash(network.peers[i].session, TICKS, &hash), BKS_OK);
        assert_true(hash == wanted);
    }
}

static uint64_t worst_update_ns(bks_save_policy policy)
{
    begin(policy, 5);
    network.hold_input_ticks = 37;          // seldom enough that snapshots grow old
    toy_run_until(&network, 2000 * TOY_MS); // costs and lateness are known by now
    network.peers[0].work_ns_max = 0;
    assert_agreed();
    uint64_t worst_ns = network.peers[0].work_ns_max;
    print_message("step %4d copy %4d: %-5s worst %6d, spacing %d\n", (int)step_ns, (int)copy_ns,
                  policy == BKS_SAVE_AUTO    ? "auto"
                  : policy == BKS_SAVE_TWO   ? "two"
                  : policy == BKS_SAVE_EVERY ? "every"
                                             : "one",
                  (int)worst_ns, (int)stats_of(0).save_spacing);
    toy_destroy(&network);
    return worst_ns;
}

static void auto_makes_the_worst_update_cheapest(void **context)
{
    (void)context;
    static const struct {
        uint64_t step_ns, copy_ns;
    } cases[] = {{1000, 10}, {1000, 300}, {1000, 1000}, {300, 1000}, {10, 1000}};
    tuned_window = 20;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        step_ns = cases[i].step_ns;
        copy_ns = cases[i].copy_ns;
        uint64_t every_ns = worst_update_ns(BKS_SAVE_EVERY);
        uint64_t two_ns = worst_update_ns(BKS_SAVE_TWO);
        uint64_t best_ns = every_ns < two_ns ? every_ns : two_ns;
        uint64_t auto_ns = worst_update_ns(BKS_SAVE_AUTO);
        assert_true(auto_ns <= best_ns);
        // In the middle neither extreme is right.
        if (step_ns == copy_ns) {
            assert_true(auto_ns * 20 < best_ns * 19);
        }
    }
}

static void auto_lies_near_where_steps_are_dear_and_far_where_copies_are(void **context)
{
    (void)context;
    tuned_window = 20;
    step_ns = 1000;
    copy_ns = 1;
    begin(BKS_SAVE_AUTO, 5);
    assert_int_equal(stats_of(0).save_spacing, 20);
    toy_run_until(&network, 2000 * TOY_MS);
    assert_int_equal(stats_of(0).save_spacing, 1);
    // The spacing follows the costs.
    step_ns = 100;
    copy_ns = 100000;
    toy_run_until(&network, 6000 * TOY_MS);
    assert_in_range(stats_of(0).save_spacing, 5, 20);
    assert_agreed();
    toy_destroy(&network);
}

static void auto_is_as_two_while_costs_are_not_known(void **context)
{
    (void)context;
    uint64_t saves[2];
    uint64_t steps[2];
    tuned_window = 20;
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? BKS_SAVE_TWO : BKS_SAVE_AUTO, 5);
        network.cost_ns = NULL;
        assert_agreed();
        saves[i] = network.peers[0].save_ops;
        steps[i] = network.peers[0].step_ops;
        toy_destroy(&network);
    }
    assert_int_equal(saves[0], saves[1]);
    assert_int_equal(steps[0], steps[1]);
}

static void auto_makes_do_with_the_slots_that_there_are(void **context)
{
    (void)context;
    tuned_window = 20;
    step_ns = 1000;
    copy_ns = 1;
    for (uint32_t slots = 1; slots <= 5; slots++) {
        tuned_policy = BKS_SAVE_AUTO;
        toy_create(&network, 2, 5, tune);
        network.cost_ns = given_cost;
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 10;
        network.slots = slots;
        assert_int_equal(bks_session_slots(network.peers[0].session), 22);
        assert_agreed();
        uint32_t used = slots > 2 ? slots : 2;
        assert_int_equal(bks_session_slots(network.peers[0].session), used);
        assert_int_equal(network.peers[0].slot_most, used - 1);
        // The nearest spacing of which `slots` cover the window.
        static const uint32_t spacings[] = {20, 20, 10, 7, 5};
        assert_int_equal(stats_of(0).save_spacing, spacings[slots - 1]);
        toy_destroy(&network);
    }
}

static uint32_t surprises;

static uint64_t cost_with_a_surprise(toy_network *in, const toy_peer *peer, bks_op_kind kind)
{
    if (surprises > 0 && kind == BKS_OP_SAVE && peer == &in->peers[0]) {
        surprises--;
        return 400 * TOY_MS;
    }
    return given_cost(in, peer, kind);
}

static void one_surprise_moves_nothing(void **context)
{
    (void)context;
    tuned_window = 20;
    step_ns = 400000;
    copy_ns = 200000;
    begin(BKS_SAVE_AUTO, 5);
    network.cost_ns = cost_with_a_surprise;
    toy_run_until(&network, 3000 * TOY_MS);
    uint32_t spacing = stats_of(0).save_spacing;
    surprises = 1;
    for (uint64_t ms = 3000; ms < 3500; ms += 10) {
        toy_run_until(&network, ms * TOY_MS);
        assert_in_range(stats_of(0).save_spacing, spacing, spacing + 1);
    }
    assert_int_equal(surprises, 0);
    assert_int_equal(network.peers[0].events[BKS_EVENT_SLOW], 0);
    // Many are no surprise.
    surprises = 1000;
    toy_run_until(&network, 5000 * TOY_MS);
    assert_true(stats_of(0).save_spacing > spacing + 2);
    surprises = 0;
    toy_destroy(&network);
}

static void nothing_that_peers_agree_on_depends_on_costs(void **context)
{
    (void)context;
    static const uint32_t windows[] = {1, 2, 3, 8, 20, 64};
    for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
        tuned_window = windows[w];
        tuned_budget_us = w % 2 == 0 ? 0 : BKS_AUTO;
        begin(BKS_SAVE_AUTO, 7 + w);
        network.cost_ns = any_cost;
        network.jitter_ns = 40 * TOY_MS;
        network.loss_percent = 10;
        print_message("window %d, seed %d\n", (int)tuned_window, (int)(7 + w));
        assert_agreed();
        toy_destroy(&network);
    }
}

// ---- a machine that is too slow ----

#define SECONDS (1000 * TOY_MS)
#define TICK_NS (1000 * TOY_MS / 60)

static uint32_t tuned_delay;
static uint64_t slow_step_ns; ///< slowness of peer 1, from 4 s to

static void tune_slow(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.delay_ticks = tuned_delay;
    config->tuning.window_ticks = tuned_window;
    config->tuning.budget_us = tuned_budget_us;
    config->ticks = 1200;
}

static uint64_t slow_cost(toy_network *in, const toy_peer *peer, bks_op_kind kind)
{
    bool is_slow = peer == &in->peers[1] && in->now_ns >= 4 * SECONDS && in->now_ns < 12 * SECONDS;
    if (kind == BKS_OP_STEP) {
        return is_slow ? slow_step_ns : 50000;
    }
    return kind == BKS_OP_SAVE || kind == BKS_OP_LOAD || kind == BKS_OP_HASH ? 2000 : 0;
}

static void begin_slow(uint32_t peers, uint32_t delay, uint64_t step_ns_of_slow)
{
    tuned_delay = delay;
    tuned_window = 20;
    slow_step_ns = step_ns_of_slow;
    toy_create(&network, peers, 7, tune_slow);
    network.cost_ns = slow_cost;
    network.costs_take_time = true;
    network.delay_ns = 80 * TOY_MS;
    network.jitter_ns = 4 * TOY_MS;
}

/// How a stretch of time went for each peer.
typedef struct course {
    bks_tick ticks;
    uint64_t longest_ns; ///< between two new ticks
    uint64_t starved;
} course;

static void watch(uint64_t until_ns, course out[TOY_PEERS_MAX])
{
    bks_tick first[TOY_PEERS_MAX];
    bks_tick newest[TOY_PEERS_MAX];
    uint64_t since[TOY_PEERS_MAX];
    for (uint32_t i = 0; i < network.peer_count; i++) {
        first[i] = newest[i] = bks_session_tick(network.peers[i].session);
        since[i] = network.now_ns;
        out[i] = (course){.starved = stats_of(i).starved_ticks};
        network.peers[i].work_ns_max = 0;
    }
    for (uint64_t now = network.now_ns; now < until_ns; now += TOY_MS) {
        toy_run_until(&network, now);
        for (uint32_t i = 0; i < network.peer_count; i++) {
            bks_tick tick = bks_session_tick(network.peers[i].session);
            uint64_t gap_ns = now - since[i];
            out[i].longest_ns = gap_ns > out[i].longest_ns ? gap_ns : out[i].longest_ns;
            since[i] = tick != newest[i] ? now : since[i];
            newest[i] = tick;
        }
    }
    for (uint32_t i = 0; i < network.peer_count; i++) {
        out[i].ticks = newest[i] - first[i];
        out[i].starved = stats_of(i).starved_ticks - out[i].starved;
        print_message("until %2d s peer %u: %3d ticks, gap %3d ms, starved %2d, stretch %d %%\n",
                      (int)(until_ns / SECONDS), i, (int)out[i].ticks,
                      (int)(out[i].longest_ns / TOY_MS), (int)out[i].starved,
                      (int)(100.0 * stats_of(i).tick_stretch));
    }
}

static void assert_full_rate(uint64_t from_ns)
{
    course went[TOY_PEERS_MAX];
    toy_run_until(&network, from_ns);
    watch(from_ns + 2 * SECONDS, went);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        assert_in_range(went[i].ticks, 117, 123); // two seconds, 2 % slew
        assert_true(stats_of(i).tick_stretch == 0.0);
    }
}

static void assert_ends_agreed(void)
{
    assert_true(toy_run_to_end(&network, 120 * SECONDS));
    uint64_t wanted = toy_straight_run(network.peer_count, 1200, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(bks_session_hash(network.peers[i].session, 1200, &hash), BKS_OK);
        assert_true(hash == wanted);
        for (bks_tick t = 0; t < 1200; t++) {
            assert_int_equal(network.peers[i].sample_count[t], 1);
        }
    }
}

/// Three eighths of a tick for a step: with rollbacks of 6 ticks three times too slow.
static void a_slow_machine_takes_more_input_delay_before_anybody_slows_down(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(2, BKS_AUTO, TICK_NS * 3 / 8);
    toy_run_until(&network, 4 * SECONDS);
    assert_int_equal(network.peers[1].events[BKS_EVENT_SLOW], 0);
    toy_run_until(&network, 7 * SECONDS);
    course went[TOY_PEERS_MAX];
    watch(10 * SECONDS, went);
    for (uint32_t i = 0; i < 2; i++) {
        assert_in_range(went[i].ticks, 177, 181);
        assert_true(went[i].longest_ns <= 2 * TICK_NS + TOY_MS);
        assert_int_equal(went[i].starved, 0);
    }
    assert_in_range(stats_of(1).budget_delay_ticks, 5, 8);
    assert_true(network.peers[1].work_ns_max <= TICK_NS * 76 / 100);
    assert_int_equal(network.peers[1].last[BKS_EVENT_SLOW].peer, 1);
    assert_non_null(strstr(network.peers[1].last[BKS_EVENT_SLOW].text, "input delay"));
    assert_int_equal(stats_of(0).budget_delay_ticks, 0);
    // The delay is given back.
    assert_full_rate(14 * SECONDS);
    toy_run_until(&network, 17 * SECONDS);
    assert_int_equal(stats_of(1).budget_delay_ticks, 0);
    assert_true(network.peers[1].events[BKS_EVENT_KEEPS_UP] > 0);
    assert_ends_agreed();
    toy_destroy(&network);
}

static void with_a_fixed_delay_ticks_become_longer_for_everyone_alike(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(3, 0, TICK_NS * 3 / 8);
    toy_run_until(&network, 7 * SECONDS);
    course went[TOY_PEERS_MAX];
    watch(10 * SECONDS, went);
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(went[i].ticks, 75, 150);
        assert_in_range(went[i].ticks, went[1].ticks - 4, went[1].ticks + 4);
        assert_true(went[i].longest_ns <= 3 * TICK_NS);
        assert_int_equal(went[i].starved, 0);
        assert_true(stats_of(i).tick_stretch == stats_of(1).tick_stretch);
        assert_true(stats_of(i).slowed_ticks > 60);
        assert_int_equal(network.peers[i].last[BKS_EVENT_SLOW].peer, 1);
        assert_non_null(strstr(network.peers[i].last[BKS_EVENT_SLOW].text, "ticks are"));
    }
    assert_full_rate(14 * SECONDS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_SLOW], 1);
        assert_int_equal(network.peers[i].events[BKS_EVENT_KEEPS_UP], 1);
        assert_int_equal(network.peers[i].last[BKS_EVENT_KEEPS_UP].peer, 1);
    }
    assert_ends_agreed();
    toy_destroy(&network);
}

/// A step takes a tick and a half: no delay helps against that.
static void a_machine_too_slow_for_a_single_step_sets_an_even_pace(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    for (uint32_t round = 0; round < 2; round++) {
        begin_slow(2, round == 0 ? BKS_AUTO : 6, TICK_NS * 3 / 2);
        toy_run_until(&network, 8 * SECONDS);
        course went[TOY_PEERS_MAX];
        watch(11 * SECONDS, went);
        for (uint32_t i = 0; i < 2; i++) {
            assert_in_range(went[i].ticks, 70, 95);
            assert_true(went[i].longest_ns <= 3 * TICK_NS + TICK_NS / 2);
            assert_int_equal(went[i].starved, 0);
        }
        assert_full_rate(14 * SECONDS);
        assert_ends_agreed();
        toy_destroy(&network);
    }
}

static void lockstep_goes_at_the_pace_of_the_slowest_too(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(2, 12, TICK_NS * 3 / 2);
    toy_destroy(&network);
    tuned_window = 0;
    toy_create(&network, 2, 7, tune_slow);
    network.cost_ns = slow_cost;
    network.costs_take_time = true;
    network.delay_ns = 80 * TOY_MS;
    toy_run_until(&network, 8 * SECONDS);
    course went[TOY_PEERS_MAX];
    watch(11 * SECONDS, went);
    for (uint32_t i = 0; i < 2; i++) {
        assert_in_range(went[i].ticks, 70, 95);
        assert_int_equal(went[i].starved, 0);
    }
    assert_full_rate(14 * SECONDS);
    assert_ends_agreed();
    toy_destroy(&network);
}

static void without_a_budget_nothing_is_asked_for(void **context)
{
    (void)context;
    tuned_budget_us = 0;
    begin_slow(2, BKS_AUTO, TICK_NS * 3 / 8);
    toy_run_until(&network, 10 * SECONDS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_SLOW], 0);
        assert_int_equal(stats_of(i).budget_delay_ticks + stats_of(i).slowed_ticks, 0);
    }
    assert_ends_agreed();
    toy_destroy(&network);
}

static void the_budget_is_what_the_config_says(void **context)
{
    (void)context;
    // 50 us a step, rollbacks of 6 ticks.
    static const struct {
        uint32_t budget_us;
        bool is_slow;
    } cases[] = {{100, true}, {300, true}, {600, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tuned_budget_us = cases[i].budget_us;
        begin_slow(2, 0, 50000);
        toy_run_until(&network, 3 * SECONDS);
        assert_int_equal(network.peers[0].events[BKS_EVENT_SLOW] > 0, cases[i].is_slow);
        assert_true(cases[i].is_slow || stats_of(0).worst_update_ms > 0.3);
        assert_true(stats_of(0).worst_update_ms < 0.6);
        toy_destroy(&network);
    }
}

static void a_slow_peer_that_leaves_slows_no_one(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(3, 0, TICK_NS * 3 / 2);
    toy_run_until(&network, 8 * SECONDS);
    assert_true(stats_of(0).tick_stretch > 0.5 && stats_of(2).tick_stretch > 0.5);
    assert_int_equal(bks_session_leave(network.peers[1].session), BKS_OK);
    toy_run_until(&network, 8500 * TOY_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], 1);
    assert_int_equal(network.peers[0].events[BKS_EVENT_KEEPS_UP], 0);
    course went[TOY_PEERS_MAX];
    watch(10 * SECONDS, went);
    assert_in_range(went[0].ticks, 87, 92);
    assert_in_range(went[2].ticks, 87, 92);
    assert_true(stats_of(0).tick_stretch == 0.0 && stats_of(2).tick_stretch == 0.0);
    toy_destroy(&network);
}

static void a_word_counts_for_a_second(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(2, 0, TICK_NS * 3 / 2);
    toy_run_until(&network, 8 * SECONDS);
    assert_true(stats_of(0).tick_stretch > 0.5);
    network.lost_types[1] |= 1u << BKSI_PACKET_SLOW;
    toy_run_until(&network, 8700 * TOY_MS);
    assert_true(stats_of(0).tick_stretch > 0.5);
    toy_run_until(&network, 9400 * TOY_MS);
    assert_true(stats_of(0).tick_stretch == 0.0);
    assert_int_equal(network.peers[0].events[BKS_EVENT_KEEPS_UP], 1);
    network.lost_types[1] = 0;
    toy_run_until(&network, 10 * SECONDS);
    assert_true(stats_of(0).tick_stretch > 0.5);
    assert_ends_agreed();
    toy_destroy(&network);
}

static void a_word_out_of_range_is_refused(void **context)
{
    (void)context;
    tuned_budget_us = BKS_AUTO;
    begin_slow(2, 0, 50000);
    toy_run_until(&network, 3 * SECONDS);
    bks_session *to = network.peers[0].session;
    const bks_session *from = network.peers[1].session;
    static const uint8_t most[] = {192, 0};
    static const uint8_t more[] = {193};
    uint64_t refused = stats_of(0).packets_refused;
    inside_say(to, network.now_ns, from, BKSI_PACKET_SLOW, more, 1);
    inside_say(to, network.now_ns, from, BKSI_PACKET_SLOW, most, 2);
    inside_say(to, network.now_ns, from, BKSI_PACKET_SLOW, most, 0);
    assert_true(stats_of(0).packets_refused == refused + 3);
    toy_run_until(&network, 3100 * TOY_MS);
    assert_true(stats_of(0).tick_stretch == 0.0);
    inside_say(to, network.now_ns, from, BKSI_PACKET_SLOW, most, 1);
    assert_true(stats_of(0).packets_refused == refused + 3);
    toy_run_until(&network, 3200 * TOY_MS);
    assert_true(stats_of(0).tick_stretch == 3.0);
    // A player whose slowness comes and goes does not fill the log either.
    static const uint8_t none[] = {0};
    for (uint32_t i = 0; i < 100; i++) {
        inside_say(to, network.now_ns, from, BKSI_PACKET_SLOW, i % 2 == 0 ? none : most, 1);
        toy_run_until(&network, network.now_ns + 2 * TOY_MS);
    }
    assert_in_range(network.peers[0].events[BKS_EVENT_SLOW], 1, 3);
    assert_ends_agreed();
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_makes_the_worst_update_cheapest),
        cmocka_unit_test(auto_lies_near_where_steps_are_dear_and_far_where_copies_are),
        cmocka_unit_test(auto_is_as_two_while_costs_are_not_known),
        cmocka_unit_test(auto_makes_do_with_the_slots_that_there_are),
        cmocka_unit_test(one_surprise_moves_nothing),
        cmocka_unit_test(nothing_that_peers_agree_on_depends_on_costs),
        cmocka_unit_test(a_slow_machine_takes_more_input_delay_before_anybody_slows_down),
        cmocka_unit_test(with_a_fixed_delay_ticks_become_longer_for_everyone_alike),
        cmocka_unit_test(a_machine_too_slow_for_a_single_step_sets_an_even_pace),
        cmocka_unit_test(lockstep_goes_at_the_pace_of_the_slowest_too),
        cmocka_unit_test(without_a_budget_nothing_is_asked_for),
        cmocka_unit_test(the_budget_is_what_the_config_says),
        cmocka_unit_test(a_slow_peer_that_leaves_slows_no_one),
        cmocka_unit_test(a_word_counts_for_a_second),
        cmocka_unit_test(a_word_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
