// SPDX-License-Identifier: MIT

/// @file run_pair.h
/// Two builds of a game play one recording in turns, so that what else the machine does meets both.
/// Times of steps are kept as the least of each tick, ratios of stretches as their median.

#ifndef BKS_TOOL_RUN_PAIR_H
#define BKS_TOOL_RUN_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backstitch/base.h"
#include "backstitch/toolkit/recording.h"

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

/// Ratio of how long two builds took for one stretch of ticks.
typedef struct run_ratio {
    double ratio;  ///< now / before
    uint32_t half; ///< 0 or 1
} run_ratio;

/// Ratios in two halves, every other run in each: what both halves agree on is no chance. Begin
/// with zeros, end with run_turns_free().
typedef struct run_turns {
    run_ratio *ratios; ///< in no order
    size_t counts[2];  ///< of ratios of each half
    size_t capacity;   ///< of ratios
} run_turns;

/// Medians of ratios; 0: no stretch was stepped.
typedef struct run_turns_medians {
    double all;
    double half[2];
} run_turns_medians;

/// Take in a stretch; one that took no time on either side is left out.
/// @param half  0 or 1
/// @return false when there is no memory
bool run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns);

/// The medians; sorts what was taken in.
run_turns_medians run_turns_median(run_turns *t);

void run_turns_free(run_turns *t);

/// What is measured.
typedef struct run_pair_config {
    bks_playback_config playback; ///< its game is not used
    const bks_game *before;
    const bks_game *now;
    bks_tick end;   ///< one past the last tick to step
    uint32_t times; ///< that each plays it
} run_pair_config;

/// Let them play, in turns, and the one that begins by turns too. Hashes are not compared.
/// @param before, now  receive the times of ticks; released by the caller with run_least_free()
/// @param turns        receives how the two stand to each other; released by run_turns_free()
/// @param error        receives what went wrong
/// @return BKS_OK, or why a playback could not be had; BKS_ERR_OUT_OF_MEMORY
bks_status run_pair_measure(const run_pair_config *config, run_least *before, run_least *now,
                            run_turns *turns, bks_error *error);

#endif
