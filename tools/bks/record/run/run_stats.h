// SPDX-License-Identifier: MIT

/// @file run_stats.h
/// What `bks run` measures: every step, the stretches of a step between its marks, drawing, and
/// each whole run, whose scatter is the noise.
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

/// Durations of one kind of work. Start from {0}, end with durations_free().
typedef struct durations {
    uint64_t *ns;    ///< up to DURATIONS_MAX of them
    size_t count;    ///< of ns
    size_t capacity; ///< of ns
    uint64_t calls;  ///< also those that are not kept
    uint64_t sum_ns; ///< of all calls
    bool is_sorted;  ///< ns is, which the shares need
} durations;

/// Most that are kept of one kind.
#define DURATIONS_MAX ((size_t)1 << 20)

/// Add one. Memory that cannot be had is done without: the sum and the calls still count.
void durations_add(durations *d, uint64_t ns);

/// Mean of all, in microseconds; 0 when there are none.
double durations_mean_us(const durations *d);

/// What `share` of them did not exceed, in microseconds; 0 when there are none.
/// @param share  0..1: 0.5 is the median, 1 the longest
double durations_share_us(durations *d, double share);

/// An object "mean", "p50", "p99", "max", in microseconds.
void durations_json(json *j, const char *key, durations *d);

/// Release what is kept.
void durations_free(durations *d);

enum {
    RUN_STATS_MARKS_MAX = 64,   ///< different marks of a game
    RUN_STATS_LONGEST_MAX = 10, ///< ticks whose steps took longest
    RUN_STATS_RUNS_MAX = 1024,  ///< runs whose means are kept
};

/// From the mark before, or from the step's beginning, to this one.
typedef struct run_stats_stretch {
    char name[32]; ///< of the mark, cut when it is longer
    durations times;
} run_stats_stretch;

/// A tick and how long its step took.
typedef struct run_stats_tick {
    bks_tick tick;
    uint64_t ns;
} run_stats_tick;

/// Everything measured. Start from {0}, end with run_stats_free().
typedef struct run_stats {
    durations steps;
    durations draws;
    run_stats_stretch marks[RUN_STATS_MARKS_MAX]; ///< in the order they were first met
    uint32_t mark_count;
    run_least least; ///< by tick, the shortest of all runs: what else the machine did is no tick's
    double run_mean_us[RUN_STATS_RUNS_MAX]; ///< mean step of each run
    uint32_t run_count;
    uint64_t step_begun_ns;
    uint64_t mark_ns;    ///< where the present stretch begins
    uint64_t run_sum_ns; ///< steps of the present run
    uint64_t run_steps;
} run_stats;

/// @param ticks  that a run may have
/// @return false when there is no memory
bool run_stats_open(run_stats *s, bks_tick ticks);
void run_stats_begin_run(run_stats *s);
void run_stats_begin_step(run_stats *s);
/// A mark was reached. The time until this returns belongs to no stretch.
void run_stats_mark(run_stats *s, const char *name);
void run_stats_end_step(run_stats *s, bks_tick tick);
void run_stats_end_run(run_stats *s);
void run_stats_free(run_stats *s);

/// Write what one process measured in one run, for run_stats_receive() of another one of this
/// program.
/// @return whether it could be written
bool run_stats_send(const run_stats *s, FILE *file);

/// Add what another process measured, over the same ticks.
/// @return whether it could be read
bool run_stats_receive(run_stats *s, FILE *file);

/// Where the runs' mean steps lie: the middle half of them, all when they are fewer than five.
typedef struct run_stats_spread {
    double low_us, median_us, high_us;
} run_stats_spread;

/// How the means scatter.
/// @param means, count  in any order, up to RUN_STATS_RUNS_MAX; 0 gives zeros
run_stats_spread run_stats_scatter(const double *means, uint32_t count);

/// The ticks whose steps took longest, the longest first.
/// @return how many there are
uint32_t run_stats_longest(const run_stats *s, run_stats_tick out[RUN_STATS_LONGEST_MAX]);

/// The keys "step_us", "draw_us", "runs_us", "least_us", "marks", "longest".
void run_stats_json(json *j, run_stats *s);

/// The same as lines on stdout.
void run_stats_print(run_stats *s);

#endif
