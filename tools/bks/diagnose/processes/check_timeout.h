// SPDX-License-Identifier: MIT

/// @file check_timeout.h
/// Limits for how long a step may take, in processor time, so that no game seems to hang because
/// the machine is busy.

#ifndef BKS_TOOL_CHECK_TIMEOUT_H
#define BKS_TOOL_CHECK_TIMEOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diagnose/processes/check_pipe.h"

/// Processor time of the baseline. Start from {0}.
typedef struct check_timeout {
    uint64_t begun_ns; ///< processor time of this process when its tick began
    uint64_t most_ns;  ///< longest tick so far
} check_timeout;

/// Allowance beyond a multiple of the baseline's longest tick.
typedef enum check_allowance {
    CHECK_FOR_A_STEP,    ///< 2 s more, for a step
    CHECK_FOR_THE_FIRST, ///< 10 s more, for a tick that no process has stepped before
    CHECK_FOR_A_START,   ///< a minute more, to load the game and make its state
    CHECK_FOR_A_COPY,    ///< 5 s more, and 1 s idle instead of 8, for a copy of a process: its step
                         ///< may wait in vain for a thread that was not copied
} check_allowance;

/// Observation of a process.
typedef struct check_observer {
    pid_t process;
    uint64_t allowed_ns; ///< processor time that the process may take
    uint64_t begun_ns;   ///< processor time of the process at the first look
    uint64_t last_ns;    ///< processor time of the process at the last look
    uint64_t idle_ns;    ///< time for which the process has taken no processor time
    uint64_t idle_max_ns;
    uint64_t looked_ns; ///< time of the last look
    uint64_t most_ns;   ///< longest tick of the baseline
} check_observer;

/// Note that a tick of the baseline begins.
void check_timeout_begin(check_timeout *timeout);

/// Note that the tick ended.
void check_timeout_end(check_timeout *timeout);

/// Look at a process for the first time.
/// @param most_ns  the longest tick of the baseline
void check_observer_begin(check_observer *observer, pid_t process, check_allowance allowance,
                          uint64_t most_ns);

/// Look again. A look within 50 ms of the last one has no effect.
/// @param why  receives what was seen if the process hangs
/// @return true if the process hangs
bool check_observer_hangs(check_observer *observer, char *why, size_t capacity);

/// Wait for the answer of another process.
/// @param why  receives what was seen if the process hangs
check_wait check_timeout_await(const check_timeout *timeout, check_allowance allowance,
                               pid_t process, const check_pipe *pipe, char *why, size_t capacity);

#endif
