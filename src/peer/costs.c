// SPDX-License-Identifier: MIT

#include "peer/costs.h"

void bksi_costs_add_update(bks_costs *costs, uint64_t cost_ns)
{
    costs->updates++;
    costs->update_ns_sum += cost_ns;
    if (cost_ns > costs->update_ns_max) {
        costs->update_ns_max = cost_ns;
    }
    // Bucket b begins at 2^(b/4) microseconds; 1.189 is the fourth root of 2.
    double bound_us = 1.189207115;
    uint32_t bucket = 0;
    while (bucket < 63 && (double)cost_ns / 1000.0 >= bound_us) {
        bound_us *= 1.189207115;
        bucket++;
    }
    costs->histogram_us[bucket]++;
}

void bksi_costs_add_game(bks_costs *costs, uint64_t cost_ns)
{
    costs->game_ns_sum += cost_ns;
}

void bksi_costs_add_op(bks_costs *costs, bksi_again *again, const bks_op *op, uint64_t cost_ns)
{
    if (op->kind == BKS_OP_LOAD) {
        again->is_again = true;
    } else if (op->kind == BKS_OP_STEP && op->tick >= again->end) {
        again->is_again = false;
        again->end = op->tick + 1;
    } else if (op->kind == BKS_OP_SAMPLE) {
        return; // it may come between, and is not of going back
    }
    costs->resimulation_ns_sum += again->is_again ? cost_ns : 0;
}
