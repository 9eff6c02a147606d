// SPDX-License-Identifier: MIT

/// @file check_timeout.h Limits for how long a step may take. They are in processor time, so that a
/// game does not seem to hang when only the machine is busy.

#ifndef BKS_TOOL_CHECK_TIMEOUT_H
#define BKS_TOOL_CHECK_TIMEOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diagnose/processes/check_pipe.h"

/// Processor time of the baseline's ticks. Start from {0}.
typedef struct check_timeout {
    uint64_t begun_ns; ///< processor time of this process when its current tick began
    uint64_t most_ns;  ///< processor time of the longest tick so far
} check_timeout;

/// Kind of work. It decides how much processor time is allowed beyond a multiple of the baseline's
/// longest tick.
typedef enum check_allowance {
    /// A step: 2 s beyond a multiple of the baseline's longest tick.
    CHECK_FOR_A_STEP,
    /// A tick that no process has stepped before: 10 s beyond a multiple of the baseline's longest
    /// tick.
    CHECK_FOR_THE_FIRST,
    /// Loading the game and making its state: a minute beyond a multiple of the baseline's longest
    /// tick.
    CHECK_FOR_A_START,
    /// A step in a copy of a process: 5 s beyond a multiple of the baseline's longest tick. The
    /// copy counts as hanging after 1 s without processor time instead of 8 s, because it may wait
    /// forever for a thread that was not copied.
    CHECK_FOR_A_COPY,
} check_allowance;

/// Observation of a process, to tell whether it hangs.
typedef struct check_observer {
    pid_t process;
    uint64_t allowed_ns; ///< processor time that the process may take
    uint64_t begun_ns;   ///< processor time of the process when the observation began
    uint64_t last_ns;    ///< processor time of the process at the last check
    uint64_t idle_ns;    ///< time for which the process has used no processor time
    uint64_t idle_max_ns;
    uint64_t looked_ns; ///< time at which the process was last checked
    uint64_t most_ns;   ///< processor time of the baseline's longest tick
} check_observer;

/// Record that a tick of the baseline begins.
void check_timeout_begin(check_timeout *timeout);

/// Record that a tick of the baseline has ended.
void check_timeout_end(check_timeout *timeout);

/// Begin to observe a process.
/// @param most_ns  processor time of the baseline's longest tick
void check_observer_begin(check_observer *observer, pid_t process, check_allowance allowance,
                          uint64_t most_ns);

/// Check whether the observed process hangs. A call within 50 ms of the last one has no effect.
/// @param why  receives the symptom if the process hangs
/// @return true if the process hangs
bool check_observer_hangs(check_observer *observer, char *why, size_t capacity);

/// Wait for the answer of another process, or until the process hangs.
/// @param why  receives the symptom if the process hangs
check_wait check_timeout_await(const check_timeout *timeout, check_allowance allowance,
                               pid_t process, const check_pipe *pipe, char *why, size_t capacity);

#endif
