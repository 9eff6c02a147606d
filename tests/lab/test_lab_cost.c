// SPDX-License-Identifier: MIT

// The cost of operations in the lab is a model: sessions always get it, the same seed gives the
// same costs, and they take virtual time on request.

#include "some_lab.h"

#include "lab/lab_internal.h"

#define GOOD_LINK "delay=40ms,jitter=5ms"
#define US        UINT64_C(1000)

static uint64_t fast_clock(void *context)
{
    uint64_t *now_ns = context;
    return *now_ns += 1000000000; // a second between any two looks
}

static void costs_do_not_come_from_the_clock(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 300);
    const bks_lab_result wanted = some_match(&config, GOOD_LINK, NULL);
    uint64_t now_ns = 0;
    config = some_lab_config(1, 2, 300);
    config.clock_ns = fast_clock;
    config.clock_context = &now_ns;
    const bks_lab_result result = some_match(&config, GOOD_LINK, NULL);
    assert_true(result.peers[0].costs.update_ns_sum > 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(result.peers[i].work_ns_sum > 0);
        assert_true(result.peers[i].work_ns_sum == wanted.peers[i].work_ns_sum);
        assert_true(result.peers[i].work_ns_max == wanted.peers[i].work_ns_max);
        assert_memory_equal(&result.peers[i].stats, &wanted.peers[i].stats,
                            sizeof(wanted.peers[i].stats));
    }
}

static void operations_cost_what_the_model_says(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 60);
    bks_lab *lab = some_lab(&config, NULL, "slow=1@0s+1s:3x");
    lab_peer *fast = &lab->peers[0];
    lab_peer *slow = &lab->peers[1];
    lab->first_tick_ns = 0;
    assert_true(bksi_lab_op_cost(fast, BKS_OP_STEP, 4096) == 1 * US);
    assert_true(bksi_lab_op_cost(fast, BKS_OP_SAVE, 1 << 20) == 50 + (1 << 20) / 20);
    assert_true(fast->spent_ns == 0 && fast->work_ns == 1 * US + 50 + (1 << 20) / 20);
    // The step costs an eighth of a tick times the factor, 6.25 ms of virtual time.
    assert_true(bksi_lab_op_cost(slow, BKS_OP_STEP, 4096) == SOME_SECOND_NS / 60 / 8 * 3);
    assert_true(slow->spent_ns == slow->work_ns && slow->work_ns > 6000 * US);
    lab->config.step_ns = 200 * US;
    fast->spent_ns = fast->work_ns = slow->spent_ns = 0;
    assert_true(bksi_lab_op_cost(fast, BKS_OP_STEP, 4096) == 200 * US);
    assert_true(bksi_lab_op_cost(fast, BKS_OP_HASH, 2000) == 150);
    assert_true(fast->spent_ns == 200 * US + 150 && fast->work_ns == fast->spent_ns);
    assert_true(bksi_lab_op_cost(slow, BKS_OP_STEP, 4096) == 600 * US);
    bks_lab_destroy(lab);
}

static void slow_operations_make_updates_late(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 300);
    const bks_lab_result quick = some_match(&config, NULL, NULL);
    config = some_lab_config(1, 2, 300);
    config.step_ns = 100 * US;
    const bks_lab_result heavy = some_match(&config, NULL, NULL);
    assert_agreed(&heavy, 300);
    assert_true(heavy.final_hash == quick.final_hash);
    assert_true(heavy.peers[0].work_ns_max >= 100 * US);
    assert_true(heavy.peers[0].work_ns_sum >= 300 * 100 * US);
    // Inputs go out when the update ends.
    assert_true(heavy.peers[0].stats.links[1].round_trip_ms >
                quick.peers[0].stats.links[1].round_trip_ms + 0.05);
}

static void the_spacing_follows_the_state_and_the_step(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint64_t step_ns;
        uint32_t least, most;
    } cases[] = {{"4KiB", 100 * US, 1, 1}, {"1MiB", 5 * US, 2, 4}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_lab_config config = some_lab_config(1, 2, 300);
        assert_int_equal(bks_option_values_default(&pad_game, &config.options), BKS_OK);
        (void)snprintf(config.options.text[0], sizeof(config.options.text[0]), "%s",
                       cases[i].bytes);
        config.has_options = true;
        config.step_ns = cases[i].step_ns;
        config.tuning.delay_ticks = 0;
        const bks_lab_result result = some_match(&config, "delay=60ms", NULL);
        assert_agreed(&result, 300);
        assert_in_range(result.peers[0].stats.save_spacing, cases[i].least, cases[i].most);
    }
}

/// Ticks of a third of a second, stretched to 1.3 s, measure costs seldom.
static void ticks_that_measure_seldom_are_soon_short_again_after_a_slow_moment(void **state)
{
    (void)state;
    bks_game game = pad_game;
    game.tick_rate_hz = 3;
    bks_lab_config config = some_lab_config(1, 2, 11);
    config.game = &game;
    config.tuning.save = BKS_SAVE_ONE;
    const bks_lab_result result = some_match(&config, NULL, "slow=1@0ms+900ms:3.9x");
    assert_agreed(&result, 11);
    assert_true(result.match_ns < 6 * SOME_SECOND_NS); // 3.7 s without the slow moment
}

/// Packets of a slow machine wait for it, although no line has a rate.
static void a_slow_machine_is_not_reported_as_narrow_lines(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 4, 2400);
    config.step_ns = 1000000;
    const bks_lab_result result = some_match(&config, "delay=60ms", "slow=2@6s+20s:80x");
    assert_agreed(&result, 2400);
    assert_true(some_moment(&result, "slow") > 0);
    assert_int_equal(some_moment(&result, "narrow"), 0);
}

static void a_step_of_more_than_a_second_is_refused(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 60);
    config.step_ns = SOME_SECOND_NS + 1;
    bks_lab *lab = NULL;
    bks_error error = {0};
    assert_int_equal(bks_lab_create(&config, &lab, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "step_ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_do_not_come_from_the_clock),
        cmocka_unit_test(operations_cost_what_the_model_says),
        cmocka_unit_test(slow_operations_make_updates_late),
        cmocka_unit_test(the_spacing_follows_the_state_and_the_step),
        cmocka_unit_test(ticks_that_measure_seldom_are_soon_short_again_after_a_slow_moment),
        cmocka_unit_test(a_slow_machine_is_not_reported_as_narrow_lines),
        cmocka_unit_test(a_step_of_more_than_a_second_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
