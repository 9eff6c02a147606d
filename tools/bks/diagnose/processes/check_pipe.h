// SPDX-License-Identifier: MIT

/// @file check_pipe.h Pipes between baseline and variant: the baseline asks the variant to step the
/// tick on the tape, and the variant answers when it has done so. Each kind of system has its own
/// source file.

#ifndef BKS_TOOL_CHECK_PIPE_H
#define BKS_TOOL_CHECK_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

/// One end of a pipe: two descriptors, or handles on Windows.
typedef struct check_pipe {
    int receives;
    int sends;
} check_pipe;

/// Result of waiting for an answer.
typedef enum check_wait {
    CHECK_ANSWERED, ///< the answer arrived
    CHECK_GONE,     ///< the other process closed its end of the pipe: it crashed or gave up
    CHECK_HANGS,    ///< no answer arrived before the time was up
} check_wait;

/// Prepare this process, once, so that a request to a process that has ended does not end this one.
void check_pipe_begin(void);

/// Make a pipe between baseline and variant.
/// @param asks     receives the baseline's end
/// @param answers  receives the variant's end, which the variant inherits; close it once the
///                 variant runs
/// @return false if the system has no more descriptors
bool check_pipe_make(check_pipe *asks, check_pipe *answers);

void check_pipe_close(const check_pipe *end);

/// Return true if an end of a pipe is still open. A game may close descriptors that are not its
/// own.
bool check_pipe_is_open(const check_pipe *end);

/// Ask the variant to step the tick on the tape.
/// @return false if the variant's process has ended
bool check_pipe_ask(const check_pipe *asks);

/// Wait for the variant's answer.
check_wait check_pipe_await(const check_pipe *asks, pid_t process, int timeout_ms);

/// Answer the last request, then wait for the next one.
/// @return false if the baseline has ended, or wants no more ticks
bool check_pipe_answer(const check_pipe *answers);

#endif
