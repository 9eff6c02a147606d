// SPDX-License-Identifier: MIT

/// @file check_talk.h
/// What the baseline and the process that varies say to each other: one asks for the tick on the
/// tape, the other answers. For each kind of system in a file of its own.

#ifndef BKS_TOOL_CHECK_TALK_H
#define BKS_TOOL_CHECK_TALK_H

#include <stdbool.h>
#include <sys/types.h>

/// One process's end: descriptors, on Windows handles.
typedef struct check_talk {
    int receives;
    int sends;
} check_talk;

/// How a wait ended.
typedef enum check_wait {
    CHECK_ANSWERED, ///< the answer came
    CHECK_GONE,     ///< the other process closed its end: it crashed or gave up
    CHECK_HANGS,    ///< neither: its step does not end, or waits for what does not come
} check_wait;

/// Once, before anything is asked: asking a process that is gone does no harm.
void check_talk_begin(void);

/// Make both ends.
/// @param asks     the baseline's
/// @param answers  the one that other processes inherit; close it when that one was started
/// @return false: the system has no more of them
bool check_talk_make(check_talk *asks, check_talk *answers);

void check_talk_close(const check_talk *end);

/// Whether an end is still open: a game may close all that it does not know.
bool check_talk_is_open(const check_talk *end);

/// Ask the other process.
/// @return false: it is gone
bool check_talk_ask(const check_talk *asks);

/// Wait for its answer.
/// @return CHECK_HANGS: none came within the time
check_wait check_talk_hear(const check_talk *asks, pid_t process, int patience_ms);

/// Answer what was asked, then wait until it is asked again.
/// @return false: the baseline is gone, or wants no more
bool check_talk_answer(const check_talk *answers);

#endif
