// SPDX-License-Identifier: MIT

/// @file check_talk.h
/// Pipes between baseline and variant: the baseline asks for the tick on the tape, the variant
/// answers. Each kind of system has its own source.

#ifndef BKS_TOOL_CHECK_TALK_H
#define BKS_TOOL_CHECK_TALK_H

#include <stdbool.h>
#include <sys/types.h>

/// One end: descriptors, on Windows handles.
typedef struct check_talk {
    int receives;
    int sends;
} check_talk;

/// Result of a wait.
typedef enum check_wait {
    CHECK_ANSWERED, ///< the answer came
    CHECK_GONE,     ///< the other process closed its end: it crashed or gave up
    CHECK_HANGS,    ///< no answer within the time
} check_wait;

/// Prepare the process, once: a request to a process that is gone must not end this one.
void check_talk_begin(void);

/// Make both ends.
/// @param asks     receives the baseline's end
/// @param answers  receives the variant's, to be inherited; close it after the variant was started
/// @return false: the system has no more descriptors
bool check_talk_make(check_talk *asks, check_talk *answers);

void check_talk_close(const check_talk *end);

/// Return true if an end is still open: a game may close descriptors that it does not know.
bool check_talk_is_open(const check_talk *end);

/// Ask the variant for the tick on the tape.
/// @return false: the variant is gone
bool check_talk_ask(const check_talk *asks);

/// Wait for the variant's answer.
check_wait check_talk_hear(const check_talk *asks, pid_t process, int patience_ms);

/// Answer the last request, then wait for the next one.
/// @return false: the baseline is gone or has ended
bool check_talk_answer(const check_talk *answers);

#endif
