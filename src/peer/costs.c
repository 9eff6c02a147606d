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
