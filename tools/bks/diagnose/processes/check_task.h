// SPDX-License-Identifier: MIT

/// @file check_task.h Tasks of the processes of a check. `bks check` starts a baseline for each
/// variant, and the baseline starts the variant. `bks doctor` does the same, and also starts
/// processes that play a recording. An environment variable and the inherited tape tell a process
/// its task.

#ifndef BKS_TOOL_CHECK_TASK_H
#define BKS_TOOL_CHECK_TASK_H

#include <stdint.h>

#include "base/child.h"
#include "diagnose/processes/check_pipe.h"

/// Role of a process.
typedef enum check_role {
    CHECK_COMMAND = 0, ///< the process that the user started
    CHECK_BASELINE = 1,
    CHECK_VARIANT = 2,
    CHECK_PLAYS = 3, ///< process that plays a recording for `bks doctor`
} check_role;

/// Bits that say how to start a process.
typedef enum check_process {
    CHECK_PLAIN = 0,
    /// Give the process random addresses instead of the fixed ones of other processes.
    CHECK_MOVED = 1,
    CHECK_LESSER = 2,  ///< show the C library a processor with fewer features
    CHECK_WATCHED = 4, ///< run the process under valgrind if it is installed
} check_process;

/// Task of a process. {0} is the task of the command itself.
typedef struct check_task {
    check_role role;
    uint32_t variant; ///< index of the variant in the table check_variants
    int tape;         ///< number of the shared memory of the inherited tape
    check_pipe pipe;  ///< inherited end of the pipe, for a variant
} check_task;

/// Read the task of this process from the environment.
check_task check_task_read(void);

/// Return true if the system lets a program fix the addresses of another program. Some containers
/// do not.
bool check_task_fixes_addresses(void);

/// Start a process with another task: bks-check, or this program if there is no bks-check beside
/// it.
/// @param how  bits of check_process
/// @return true if the process runs; otherwise an error is on stderr
bool check_task_start(const check_task *task, uint32_t how, child *process);

#endif
