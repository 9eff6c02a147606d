// SPDX-License-Identifier: MIT

/// @file check_patience.h
/// How long a step may take: by the processor time that it and others took, so that a machine that
/// is busy with something else makes no game hang.

#ifndef BKS_TOOL_CHECK_PATIENCE_H
#define BKS_TOOL_CHECK_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diagnose/processes/check_talk.h"

/// What the baseline took. Start from {0}.
typedef struct check_patience {
    uint64_t begun_ns; ///< processor time of this process when its tick began
    uint64_t most_ns;  ///< the longest of its ticks
} check_patience;

/// What is allowed: many times what the baseline took for a tick, and
typedef enum check_allowance {
    CHECK_FOR_A_STEP,    ///< 2 s more
    CHECK_FOR_THE_FIRST, ///< 10 s more: none has stepped this tick before
    CHECK_FOR_A_START,   ///< a minute more: the game is loaded and its state made
    CHECK_FOR_A_COPY,    ///< 5 s more, and idle for 1 s, not 8: it has none of the game's threads,
                         ///< so that what its step waits for may never come
} check_allowance;

/// Looks at a process, one after the other.
typedef struct check_look {
    pid_t process;
    uint64_t allowed_ns; ///< of its processor time
    uint64_t begun_ns;   ///< of that, at the first look
    uint64_t last_ns;    ///< and at the last one
    uint64_t idle_ns;    ///< how long it has taken none since
    uint64_t idle_max_ns;
    uint64_t looked_ns; ///< time of the last look
    uint64_t most_ns;   ///< of the baseline's ticks
} check_look;

/// A tick of the baseline begins.
void check_patience_begin(check_patience *patience);

/// It ended.
void check_patience_end(check_patience *patience);

/// Look at a process for the first time.
/// @param most_ns  the longest tick of the baseline
void check_look_begin(check_look *look, pid_t process, check_allowance allowance, uint64_t most_ns);

/// Look again; of two looks within 50 ms the second is none.
/// @param why  receives what the process was seen to do, when it hangs
/// @return whether it hangs
bool check_look_hangs(check_look *look, char *why, size_t capacity);

/// Wait for an answer of another process.
/// @param why  receives what it was seen to do, when it hangs
check_wait check_patience_wait(const check_patience *patience, check_allowance allowance,
                               pid_t process, const check_talk *talk, char *why, size_t capacity);

#endif
