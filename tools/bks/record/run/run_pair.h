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
#include "base/samples.h"

/// Least time of each tick's step over all runs. Begin with run_least_open(), end with
/// run_least_free().
typedef struct run_least {
    uint64_t *ns; ///< least time by tick from `first` on; 0: not stepped
    bks_tick first;
    bks_tick ticks;     ///< number of ticks in `ns`
    uint32_t run_count; ///< number of runs that have ended
} run_least;

/// Allocate room for the times of the ticks `first` to `end` - 1 of a recording, which may be
/// damaged: then `end` may be less than `first`, and there are no ticks.
/// @return false: there is no memory
bool run_least_open(run_least *l, bks_tick first, bks_tick end);
void run_least_free(run_least *l);

/// Add the time that the step of one of these ticks took in the present run.
void run_least_add(run_least *l, bks_tick tick, uint64_t ns);

/// Return the mean over all ticks of the least time of each tick in microseconds, 0: nothing was
/// stepped.
double run_least_mean_us(const run_least *l);

/// Ratios of two builds' times for the same stretches, present build / other build: of all runs, of
/// the even runs and of the odd runs. A difference that both halves show is hardly chance.
/// Begin with zeros, end with run_turns_free().
typedef struct run_turns {
    samples all;
    samples half[2];
} run_turns;

/// Add the times of a stretch. A stretch that took no time with either build is left out.
/// @param half  0 or 1
void run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns);
void run_turns_free(run_turns *t);

/// Settings for measuring two builds in turns.
typedef struct run_pair_config {
    bks_playback_config playback; ///< config of both playbacks; its `game` is ignored
    const bks_game *before;
    const bks_game *now;
    bks_tick first; ///< first tick of the recording
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
