// SPDX-License-Identifier: MIT

/// @file run_compare.h
/// Two runs of one recording, before and after a change: `bks run --compare OTHER.json`.

#ifndef BKS_TOOL_RUN_COMPARE_H
#define BKS_TOOL_RUN_COMPARE_H

#include "run_stats.h"

/// What the earlier run said of itself.
typedef struct run_compare {
    const char *path;                       ///< of the JSON, borrowed
    uint64_t recording;                     ///< hash of the recording's bytes
    int64_t ticks;                          ///< up to which it was played, -1: it does not say
    int64_t player;                         ///< as run_options.player
    bool has_marks;                         ///< measured from mark to mark, which costs time itself
    double run_mean_us[RUN_STATS_RUNS_MAX]; ///< mean step of each run
    uint32_t run_count;
} run_compare;

/// Read what `bks run --json` printed; what is wrong is said on stderr.
/// @param path  must outlive `out`
/// @return TOOL_OK, TOOL_DAMAGED
int run_compare_read(const char *path, run_compare *out);

/// How the present runs stand against the earlier ones.
typedef struct run_verdict {
    run_stats_spread before, now; ///< of a step
    double ratio;                 ///< now / before, of the medians
    double noise;                 ///< half the width of both spreads, as a share of their medians
    const char *word; ///< "faster", "slower", "same" (the spreads overlap), or "unknown": a single
                      ///< run says nothing of its noise
} run_verdict;

/// Judge the present runs.
run_verdict run_compare_judge(const run_compare *before, const run_stats *now);

/// The object "compare".
void run_compare_json(json *j, const run_compare *before, const run_stats *now);

/// The same as lines on stdout.
void run_compare_print(const run_compare *before, const run_stats *now);

#endif
