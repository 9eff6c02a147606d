// SPDX-License-Identifier: MIT

/// @file run_times.h
/// Several runs of one recording, each in a process of its own. Each run but the first differs in
/// ways that a deterministic game does not notice: fresh memory of the heap, the stack below a
/// step, addresses, the clock, the C library's random numbers, ticks stepped before. A process
/// sends its outcome through a file in memory.

#ifndef BKS_TOOL_RUN_TIMES_H
#define BKS_TOOL_RUN_TIMES_H

#include "backstitch/base.h"
#include "record/run/run_stats.h"

/// Outcome of one run of a recording, or the sum of several.
typedef struct run_outcome {
    bool is_same; ///< true: all hashes are those of the recording
    bool is_ended_by_hand;
    bool has_failed;          ///< true: a step failed, so there is no state after it
    bks_tick first_different; ///< first tick with another hash than recorded; BKS_TICK_NONE: none
    bks_tick reached;         ///< tick that the run reached; for several runs, the last run
    uint64_t compared;        ///< number of hashes compared
    uint64_t stepped;         ///< number of ticks stepped, each counted once
    uint64_t steps;           ///< number of steps, including repeated steps
    uint64_t rollbacks;
    uint64_t final_hash; ///< hash of the state at the start of the tick `reached`
    uint64_t wall_ns;
    bks_tick apart; ///< first tick with another hash than in the first run; BKS_TICK_NONE: none
} run_outcome;

/// Task of this process: one run of several, or the only one.
typedef struct run_task {
    bool is_one_of_many;
    uint32_t index; ///< index of the run
    int descriptor; ///< descriptor of the file that receives the outcome

    /// Number of ticks to step on a spare state, before and after the run's own state is made.
    /// These steps change data that the game keeps outside the state, even if `init` resets such
    /// data.
    bks_tick ticks_before, ticks_behind;
} run_task;

/// Read from the environment which run this process is, and begin to vary the process. Call it
/// once.
run_task run_times_task(void);

/// Return the names of what is varied, with commas between them.
const char *run_times_varied(void);

/// Leave different bytes on the stack in each run. Call it before each step.
/// @param run  number of the run
void run_times_fill_stack(uint32_t run);

/// Send the outcome of this process.
/// @param hashes, ticks  hash of the state at the start of each tick, 0 where there is none
/// @return false: the outcome could not be written
bool run_times_send(const run_task *task, const run_outcome *outcome, const uint64_t *hashes,
                    bks_tick ticks, const run_stats *stats);

/// Run the command several times, each in a process of its own.
/// @param argc, argv  command line
/// @param ticks       limit for the ticks of a run
/// @param outcomes    receives the outcome of each run, room for `times`
/// @param stats       receives the measurements of all runs
/// @param out_count   receives the number of outcomes: fewer than `times` if the user stopped the
/// runs or one failed
/// @return TOOL_OK, else the status of a run that failed, with an error on stderr
int run_times_all(int argc, char **argv, uint32_t times, bks_tick ticks, run_outcome *outcomes,
                  run_stats *stats, uint32_t *out_count);

#endif
