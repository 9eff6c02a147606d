// SPDX-License-Identifier: MIT

/// @file run_times.h
/// Several runs over one recording, each in a process of its own. From one to the next differs what
/// a deterministic game does not notice: fresh memory of the heap, the stack below a step,
/// addresses, the clock, the C library's random numbers, ticks stepped before. Run 0 varies
/// nothing. A process hands its outcome back through a file in memory.

#ifndef BKS_TOOL_RUN_TIMES_H
#define BKS_TOOL_RUN_TIMES_H

#include "backstitch/base.h"
#include "record/run/run_stats.h"

/// What one run came to.
typedef struct run_outcome {
    bool is_same; ///< as recorded
    bool is_ended_by_hand;
    bool has_failed;          ///< a step did: there is no state behind it
    bks_tick first_different; ///< from the recording, BKS_TICK_NONE: none
    bks_tick reached;         ///< of many, by the last one
    uint64_t compared;        ///< hashes
    uint64_t stepped;         ///< ticks, each once
    uint64_t steps;           ///< each as often as it was stepped
    uint64_t rollbacks;
    uint64_t final_hash; ///< of the state at the start of `reached`
    uint64_t wall_ns;
    bks_tick
        apart; ///< the first tick whose state is not that of the first run, BKS_TICK_NONE: none
} run_outcome;

/// Which of several runs this process is.
typedef struct run_seat {
    bool is_one_of_many;
    uint32_t index; ///< from 0
    int descriptor; ///< where its outcome goes
    /// Ticks to step on a throw-away state before the run's own state is made, so that nothing
    /// which is hidden outside the state is as at its beginning; and ticks to step on it behind
    /// that, since `init` may begin anew what is hidden.
    bks_tick ticks_before, ticks_behind;
} run_seat;

/// Find out, once, and begin to vary the process.
run_seat run_times_seat(void);

/// What this program can vary here, with commas between them.
const char *run_times_varied(void);

/// Leave other bytes on the stack: before each step.
/// @param run  from 0
void run_times_fill_stack(uint32_t run);

/// Hand over what came of this process.
/// @param hashes, ticks  of the state at the start of each tick, 0 where there is none
/// @return whether it could be written
bool run_times_send(const run_seat *seat, const run_outcome *outcome, const uint64_t *hashes,
                    bks_tick ticks, const run_stats *stats);

/// Run several times.
/// @param argc, argv  of the command
/// @param ticks       that a run may have
/// @param outcomes    receives what came of each, `times` of them
/// @param stats       receives what all measured
/// @param out_count   receives how many there are: fewer when it was stopped by hand or one failed
/// @return TOOL_OK; else the status of a run that failed, with an error on stderr
int run_times_all(int argc, char **argv, uint32_t times, bks_tick ticks, run_outcome *outcomes,
                  run_stats *stats, uint32_t *out_count);

#endif
