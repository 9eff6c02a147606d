// SPDX-License-Identifier: MIT

/// @file run_stats.h
/// Measurements of `bks run`: times of steps, of their stretches between marks, of drawing, and the
/// mean step of each run, whose scatter is the noise.
///
///     run_stats_open(&stats, first, end);
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

enum {
    RUN_STATS_MARKS_MAX = 64, ///< maximum number of different marks
};

/// Part of a step that ends at a mark and begins at the previous mark, or at the start of the step.
typedef struct run_stats_stretch {
    char name[32]; ///< name of the mark, cut if it is longer
    samples times; ///< times of the stretch in us
} run_stats_stretch;

/// All measurements. Start from {0}, end with run_stats_free().
typedef struct run_stats {
    samples steps; ///< times of steps in us
    samples draws; ///< times of drawing in us
    /// Stretches up to each mark, in the order in which the marks were first reached.
    run_stats_stretch marks[RUN_STATS_MARKS_MAX];
    uint32_t mark_count;
    /// Least time of each tick over all runs: the one that the machine disturbed least.
    run_least least;
    samples run_means; ///< mean time of a step in each run, in us
    uint64_t step_begun_ns;
    uint64_t mark_ns;    ///< time at which the present stretch began
    uint64_t run_sum_ns; ///< time that the steps of the present run took so far, added up
    uint64_t run_steps;  ///< number of steps of the present run so far
} run_stats;

/// Allocate room for the measurements of the ticks `first` to `end` - 1.
/// @return false: there is no memory
bool run_stats_open(run_stats *s, bks_tick first, bks_tick end);
void run_stats_begin_run(run_stats *s);
void run_stats_begin_step(run_stats *s);
/// End a stretch at a mark. The time of this call belongs to no stretch.
void run_stats_mark(run_stats *s, const char *name);
void run_stats_end_step(run_stats *s, bks_tick tick);
void run_stats_end_run(run_stats *s);
void run_stats_free(run_stats *s);

/// Write "step_us", "draw_us", "runs_us", "least_us", "marks" and "longest" into the open JSON
/// object.
void run_stats_json(json *j, run_stats *s);

/// Print the measurements on stdout.
void run_stats_print(run_stats *s);

#endif
