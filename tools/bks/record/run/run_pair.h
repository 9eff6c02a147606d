// SPDX-License-Identifier: MIT

/// @file run_pair.h Times of two builds that play one recording in turns, so that a busy machine
/// slows both. A tick's time is the least that it took in any run; the ratio is the median of the
/// ratios of stretches.

#ifndef BKS_TOOL_RUN_PAIR_H
#define BKS_TOOL_RUN_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backstitch/base.h"
#include "backstitch/toolkit/recording.h"

/// Least time of each tick's step over all runs. Begin with run_least_open(), end with
/// run_least_free().
typedef struct run_least {
    uint64_t *half_ns[2]; ///< by tick, least time in the even and in the odd runs; 0: not stepped
    bks_tick ticks;       ///< number of ticks in each array of half_ns
    uint32_t run_count;   ///< number of runs that have ended
} run_least;

/// Mean times of a step in microseconds, 0: nothing was stepped.
typedef struct run_least_means {
    double all_us;
    double half_us[2];
} run_least_means;

/// Allocate room for the times of all ticks.
/// @param ticks  limit for the ticks of a run
/// @return false: there is no memory
bool run_least_open(run_least *l, bks_tick ticks);
void run_least_free(run_least *l);

/// Add the time that the step of a tick took in the present run.
void run_least_add(run_least *l, bks_tick tick, uint64_t ns);

/// End a run of the recording.
void run_least_end_run(run_least *l);

/// Return the least time of a tick in ns, 0 if it was not stepped.
uint64_t run_least_of_tick(const run_least *l, bks_tick tick);

/// Return means over all ticks of the least time of each tick: the least in all runs, and the least
/// in each half of the runs.
run_least_means run_least_mean(const run_least *l);

/// Ratio of how long two builds took for one stretch of ticks.
typedef struct run_ratio {
    double ratio;  ///< ratio of times, present build / other build
    uint32_t half; ///< half of the runs: 0 for even runs, 1 for odd runs
} run_ratio;

/// Ratios of the stretches in two halves of the runs, the even and the odd ones. A difference that
/// both halves show is hardly chance. Begin with zeros, end with run_turns_free().
typedef struct run_turns {
    run_ratio *ratios; ///< ratios of all stretches, in no order
    size_t counts[2];  ///< number of ratios in each half of the runs
    size_t capacity;   ///< number of ratios for which there is room
} run_turns;

/// Medians of ratios, 0: no stretch was stepped.
typedef struct run_turns_medians {
    double all;
    double half[2];
} run_turns_medians;

/// Add the times of a stretch. A stretch that took no time with either build is left out.
/// @param half  0 or 1
/// @return false: there is no memory
bool run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns);

/// Return the medians of the ratios. This sorts the ratios.
run_turns_medians run_turns_median(run_turns *t);

void run_turns_free(run_turns *t);

/// Settings for measuring two builds in turns.
typedef struct run_pair_config {
    bks_playback_config playback; ///< config of both playbacks; its `game` is ignored
    const bks_game *before;
    const bks_game *now;
    bks_tick end;   ///< one past the last tick to step
    uint32_t times; ///< number of runs of each build
} run_pair_config;

/// Let both builds play in turns. Hashes are not compared.
/// @param before, now  receive the times of ticks; owned by the caller
/// @param turns        receives the ratios; owned by the caller
/// @param error        receives the reason of a failure
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, or the status of a playback that could not be created
bks_status run_pair_measure(const run_pair_config *config, run_least *before, run_least *now,
                            run_turns *turns, bks_error *error);

#endif
