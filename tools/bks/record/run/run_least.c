// SPDX-License-Identifier: MIT

#include "record/run/run_least.h"

#include <stdlib.h>

bool run_least_open(run_least *l, bks_tick ticks)
{
    *l = (run_least){.ticks = ticks};
    for (uint32_t i = 0; i < 2; i++) {
        l->half_ns[i] = calloc((size_t)ticks + 1, sizeof(*l->half_ns[i]));
    }
    return l->half_ns[0] != NULL && l->half_ns[1] != NULL;
}

void run_least_free(run_least *l)
{
    free(l->half_ns[0]);
    free(l->half_ns[1]);
    *l = (run_least){0};
}

void run_least_add(run_least *l, bks_tick tick, uint64_t ns)
{
    uint64_t *least = &l->half_ns[l->run_count % 2][tick];
    if (*least == 0 || ns < *least) {
        *least = ns;
    }
}

void run_least_end_run(run_least *l)
{
    l->run_count++;
}

uint64_t run_least_of_tick(const run_least *l, bks_tick tick)
{
    const uint64_t a = l->half_ns[0][tick];
    const uint64_t b = l->half_ns[1][tick];
    return b == 0 || (a > 0 && a < b) ? a : b;
}

static double mean_us(uint64_t sum_ns, uint64_t count)
{
    return count > 0 ? (double)sum_ns * 1e-3 / (double)count : 0;
}

run_least_means run_least_mean(const run_least *l)
{
    uint64_t sums_ns[3] = {0};
    uint64_t counts[3] = {0};
    for (bks_tick tick = 0; tick < l->ticks; tick++) {
        const uint64_t ns[3] = {run_least_of_tick(l, tick), l->half_ns[0][tick],
                                l->half_ns[1][tick]};
        for (uint32_t i = 0; i < 3; i++) {
            sums_ns[i] += ns[i];
            counts[i] += ns[i] > 0 ? 1 : 0;
        }
    }
    return (run_least_means){
        .all_us = mean_us(sums_ns[0], counts[0]),
        .half_us = {mean_us(sums_ns[1], counts[1]), mean_us(sums_ns[2], counts[2])},
    };
}
