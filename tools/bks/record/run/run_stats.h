// SPDX-License-Identifier: MIT

/// @file run_stats.h
/// Measurements of `bks run`: times of steps, of their stretches between marks, of drawing, and the
/// mean step of each run, whose scatter is the noise.
///
///     run_stats_open(&stats, ticks);
///     run_stats_begin_run(&stats);
///     run_stats_begin_step(&stats);
///     …                                      the step; each mark calls run_stats_mark()
///     run_stats_end_step(&stats, tick);
///     run_stats_end_run(&stats);

#ifndef BKS_TOOL_RUN_STATS_H
#define BKS_TOOL_RUN_STATS_H

#include "backstitch/base.h"
#include "base/json.h"
#include "record/run/run_pair.h"

/// Times of one kind of work. Start from {0}, end with durations_free().
typedef struct durations {
    uint64_t *ns;    ///< times in ns, at most DURATIONS_MAX of them
    size_t count;    ///< number of times in `ns`
    size_t capacity; ///< number of times for which `ns` has room
    uint64_t calls;  ///< number of calls, including those whose time is not in `ns`
    uint64_t sum_ns; ///< total time of all calls, in ns
    bool is_sorted;  ///< true: `ns` is sorted
} durations;

/// Maximum number of times that one `durations` stores.
#define DURATIONS_MAX ((size_t)1 << 20)

/// Add a time. If there is no memory for it, the sum and the calls still count.
void durations_add(durations *d, uint64_t ns);

/// Return the mean in microseconds, 0 if there are no calls.
double durations_mean_us(const durations *d);

/// Return the time that a share of the calls did not exceed, in microseconds; 0 if there are none.
/// @param share  0..1: 0.5 is the median, 1 the longest
double durations_share_us(durations *d, double share);

/// Write a JSON object with "mean", "p50", "p99" and "max", in microseconds.
void durations_json(json *j, const char *key, durations *d);

/// Release the memory of the times.
void durations_free(durations *d);

enum {
    RUN_STATS_MARKS_MAX = 64,   ///< maximum number of different marks
    RUN_STATS_LONGEST_MAX = 10, ///< number of ticks in the list of the longest steps
    RUN_STATS_RUNS_MAX = 1024,  ///< maximum number of runs whose means are stored
};

/// Part of a step that ends at a mark and begins at the previous mark, or at the start of the step.
typedef struct run_stats_stretch {
    char name[32]; ///< name of the mark, cut if it is longer
    durations times;
} run_stats_stretch;

/// Time that the step of a tick took.
typedef struct run_stats_tick {
    bks_tick tick;
    uint64_t ns;
} run_stats_tick;

/// All measurements. Start from {0}, end with run_stats_free().
typedef struct run_stats {
    durations steps;
    durations draws;
    /// Stretches up to each mark, in the order in which the marks were first reached.
    run_stats_stretch marks[RUN_STATS_MARKS_MAX];
    uint32_t mark_count;
    /// Least time of each tick over all runs: the one that the machine disturbed least.
    run_least least;
    double run_mean_us[RUN_STATS_RUNS_MAX]; ///< mean time of a step in each run, in us
    uint32_t run_count;
    uint64_t step_begun_ns;
    uint64_t mark_ns;    ///< time at which the present stretch began
    uint64_t run_sum_ns; ///< time that the steps of the present run took so far, added up
    uint64_t run_steps;  ///< number of steps of the present run so far
} run_stats;

/// Allocate room for the measurements.
/// @param ticks  limit for the ticks of a run
/// @return false: there is no memory
bool run_stats_open(run_stats *s, bks_tick ticks);
void run_stats_begin_run(run_stats *s);
void run_stats_begin_step(run_stats *s);
/// End a stretch at a mark. The time of this call belongs to no stretch.
void run_stats_mark(run_stats *s, const char *name);
void run_stats_end_step(run_stats *s, bks_tick tick);
void run_stats_end_run(run_stats *s);
void run_stats_free(run_stats *s);

/// Spread of the mean step times of several runs: of the middle half of the runs, or of all runs if
/// there are fewer than five.
typedef struct run_stats_spread {
    double low_us, median_us, high_us;
} run_stats_spread;

/// Return the spread of means.
/// @param means, count  in any order, at most RUN_STATS_RUNS_MAX; none gives zeros
run_stats_spread run_stats_scatter(const double *means, uint32_t count);

/// Find the ticks whose steps took longest, the longest first.
/// @return their number
uint32_t run_stats_longest(const run_stats *s, run_stats_tick out[RUN_STATS_LONGEST_MAX]);

/// Write "step_us", "draw_us", "runs_us", "least_us", "marks" and "longest" into the open JSON
/// object.
void run_stats_json(json *j, run_stats *s);

/// Print the measurements on stdout.
void run_stats_print(run_stats *s);

#endif
