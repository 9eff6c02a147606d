// SPDX-License-Identifier: MIT

/// @file check_pipe.h
/// Pipes between baseline and variant: the baseline asks for the tick on the tape, the variant
/// answers. Each kind of system has its own source.

#ifndef BKS_TOOL_CHECK_PIPE_H
#define BKS_TOOL_CHECK_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

/// One end of a pipe: two descriptors, on Windows handles.
typedef struct check_pipe {
    int receives;
    int sends;
} check_pipe;

/// Result of a wait.
typedef enum check_wait {
    CHECK_ANSWERED, ///< the answer came
    CHECK_GONE,     ///< the other process closed its end: it crashed or gave up
    CHECK_HANGS,    ///< no answer within the time
} check_wait;

/// Prepare the process, once: a request to a process that is gone must not end this one.
void check_pipe_begin(void);

/// Make a pipe between baseline and variant.
/// @param asks     receives the baseline's end
/// @param answers  receives the variant's end, to be inherited; close it once the variant runs
/// @return false: the system has no more descriptors
bool check_pipe_make(check_pipe *asks, check_pipe *answers);

void check_pipe_close(const check_pipe *end);

/// Return true if an end is still open: a game may close descriptors that it does not know.
bool check_pipe_is_open(const check_pipe *end);

/// Ask the variant for the tick on the tape.
/// @return false: the variant is gone
bool check_pipe_ask(const check_pipe *asks);

/// Wait for the variant's answer.
check_wait check_pipe_await(const check_pipe *asks, pid_t process, int timeout_ms);

/// Answer the last request, then wait for the next one.
/// @return false: the baseline is gone or has ended
bool check_pipe_answer(const check_pipe *answers);

#endif
