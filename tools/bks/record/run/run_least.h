// SPDX-License-Identifier: MIT

/// @file run_least.h
/// What a step costs apart from what else the machine does: of each tick the least of several runs.
/// The runs are taken in two halves, every other one in each: what both agree on is no chance.

#ifndef BKS_TOOL_RUN_LEAST_H
#define BKS_TOOL_RUN_LEAST_H

#include "backstitch/base.h"

/// Times of steps. Begin with run_least_open(), end with run_least_free().
typedef struct run_least {
    uint64_t *half_ns[2]; ///< by tick, the least of each half, 0: not stepped
    bks_tick ticks;       ///< length of each
    uint32_t run_count;   ///< that are over
} run_least;

/// Mean steps in microseconds, 0: nothing was stepped.
typedef struct run_least_means {
    double all_us;
    double half_us[2];
} run_least_means;

/// @param ticks  that a run may have
/// @return false when there is no memory
bool run_least_open(run_least *l, bks_tick ticks);
void run_least_free(run_least *l);

/// Take in the time of a step.
/// @param ns  nanoseconds that the step of `tick` took
void run_least_add(run_least *l, bks_tick tick, uint64_t ns);

/// A run has ended.
void run_least_end_run(run_least *l);

/// The least that a tick took.
/// @return nanoseconds, 0: it was not stepped
uint64_t run_least_of_tick(const run_least *l, bks_tick tick);

/// Mean steps by the least of all runs, and of each half.
run_least_means run_least_mean(const run_least *l);

#endif
