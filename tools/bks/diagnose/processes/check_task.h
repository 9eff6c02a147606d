// SPDX-License-Identifier: MIT

/// @file check_task.h
/// Which process of a check this is. `bks check` starts a baseline for each variant, and that
/// starts the process that varies; `bks doctor` does the same, and starts others that play a
/// recording. All are the same program. What a process is to do stands in its environment and on
/// the tape that it inherits.

#ifndef BKS_TOOL_CHECK_TASK_H
#define BKS_TOOL_CHECK_TASK_H

#include <stdint.h>

#include "base/child.h"
#include "diagnose/processes/check_talk.h"

/// What a process is.
typedef enum check_role {
    CHECK_COMMAND = 0, ///< what the user started
    CHECK_BASELINE = 1,
    CHECK_VARIANT = 2,
    CHECK_PLAYS = 3, ///< a recording, for `bks doctor`
} check_role;

/// How a process is started: bits.
typedef enum check_process {
    CHECK_PLAIN = 0,
    CHECK_MOVED = 1,  ///< at addresses that the system draws, instead of those that the others have
    CHECK_LESSER = 2, ///< the C library sees a lesser processor
    CHECK_WATCHED = 4, ///< under valgrind, where there is one
} check_process;

/// A process's place. {0} is the command's.
typedef struct check_task {
    check_role role;
    uint32_t variant; ///< its number
    int tape;         ///< number of its memory, which it inherited
    check_talk talk;  ///< of one that varies, inherited too
} check_task;

/// Read the task of this process.
check_task check_task_read(void);

/// Whether the system lets a program fix the addresses of another; some containers do not.
bool check_task_fixes_addresses(void);

/// Start this program with another task.
/// @param how  bits of check_process
/// @return whether it runs; if not, stderr says why
bool check_task_start(const check_task *task, uint32_t how, child *process);

#endif
