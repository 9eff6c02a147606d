// SPDX-License-Identifier: MIT

// What operations cost decides where snapshots lie, and nothing that peers must agree on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"

#define TICKS 900

static toy_network network;
static bks_save_policy tuned_policy;
static uint32_t tuned_window;

static uint64_t step_ns; ///< STEP and HASH together
static uint64_t copy_ns; ///< SAVE and LOAD

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->save = tuned_policy;
    config->window_ticks = tuned_window;
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

static bks_session_stats stats_of(uint32_t peer)
{
    bks_session_stats stats;
    assert_int_equal(bks_session_get_stats(network.peers[peer].session, &stats), BKS_OK);
    return stats;
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
        if (step_ns == copy_ns)
            assert_true(auto_ns * 20 < best_ns * 19);
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
    // It follows what things cost.
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
        // The nearest spacing of which so many cover the window.
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
        begin(BKS_SAVE_AUTO, 7 + w);
        network.cost_ns = any_cost;
        network.jitter_ns = 40 * TOY_MS;
        network.loss_percent = 10;
        print_message("window %d, seed %d\n", (int)tuned_window, (int)(7 + w));
        assert_agreed();
        toy_destroy(&network);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
