// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peer/tick_samples.h"

static void an_update_counts_in_the_bucket_of_its_duration(void **state)
{
    (void)state;
    bks_costs costs = {0};
    bksi_costs_add_update(&costs, 0);
    bksi_costs_add_update(&costs, 999);          // below 1 us
    bksi_costs_add_update(&costs, 1190);         // from 2^(1/4) us on
    bksi_costs_add_update(&costs, 17000);        // from 2^(16/4) us on
    bksi_costs_add_update(&costs, 100000000000); // 100 s, above all bounds
    assert_int_equal(costs.updates, 5);
    assert_int_equal(costs.update_ns_sum, 100000019189);
    assert_int_equal(costs.update_ns_max, 100000000000);
    assert_int_equal(costs.histogram_us[0], 2);
    assert_int_equal(costs.histogram_us[1], 1);
    assert_int_equal(costs.histogram_us[16], 1);
    assert_int_equal(costs.histogram_us[63], 1);
}

static void what_the_game_takes_adds_up(void **state)
{
    (void)state;
    bks_costs costs = {0};
    bksi_costs_add_game(&costs, 5);
    bksi_costs_add_game(&costs, 7);
    assert_int_equal(costs.game_ns_sum, 12);
    assert_int_equal(costs.updates, 0);
}

static bks_op op_of(bks_op_kind kind, bks_tick tick)
{
    return (bks_op){.kind = kind, .tick = tick};
}

static void what_is_stepped_again_counts_from_the_load_to_the_first_new_tick(void **state)
{
    (void)state;
    bks_costs costs = {0};
    bksi_again again = {0};
    const bks_op ops[] = {op_of(BKS_OP_STEP, 0), op_of(BKS_OP_STEP, 1), op_of(BKS_OP_STEP, 2),
                          op_of(BKS_OP_SAVE, 3), op_of(BKS_OP_LOAD, 1), op_of(BKS_OP_STEP, 1),
                          op_of(BKS_OP_SAVE, 2), op_of(BKS_OP_STEP, 2), op_of(BKS_OP_SAMPLE, 5),
                          op_of(BKS_OP_STEP, 3), op_of(BKS_OP_HASH, 2), op_of(BKS_OP_SAMPLE, 6)};
    const uint64_t costs_ns[] = {1, 1, 1, 1, 10, 100, 1000, 10000, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        bksi_costs_add_op(&costs, &again, &ops[i], costs_ns[i]);
    }
    assert_int_equal(costs.resimulation_ns_sum, 11110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_counts_in_the_bucket_of_its_duration),
        cmocka_unit_test(what_the_game_takes_adds_up),
        cmocka_unit_test(what_is_stepped_again_counts_from_the_load_to_the_first_new_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
