// SPDX-License-Identifier: MIT

/// @file check_patience.h
/// How long the baseline waits for the process that varies: by the processor time that both took,
/// so that a machine that is busy with something else makes no game hang.

#ifndef BKS_TOOL_CHECK_PATIENCE_H
#define BKS_TOOL_CHECK_PATIENCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What the baseline took. Start from {0}.
typedef struct check_patience {
    uint64_t begun_ns; ///< processor time of this process when its tick began
    uint64_t most_ns;  ///< the longest of its ticks
} check_patience;

/// How a wait ended.
typedef enum check_wait {
    CHECK_ANSWERED, ///< the byte came
    CHECK_GONE,     ///< the process closed its end: it crashed or gave up
    CHECK_HANGS,    ///< its step does not end, or waits for what does not come
} check_wait;

/// What one wait allows.
typedef enum check_allowance {
    CHECK_FOR_A_STEP,  ///< many times what the baseline took
    CHECK_FOR_A_START, ///< a minute more: the game is loaded and its state made
} check_allowance;

/// A tick of the baseline begins.
void check_patience_begin(check_patience *patience);

/// It ended.
void check_patience_end(check_patience *patience);

/// Wait for a byte of another process.
/// @param why        receives what it was seen to do, when it hangs
check_wait check_patience_wait(const check_patience *patience, check_allowance allowance,
                               pid_t process, int answers, char *why, size_t capacity);

#endif
