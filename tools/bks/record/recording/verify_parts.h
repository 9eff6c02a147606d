// SPDX-License-Identifier: MIT

/// @file verify_parts.h
/// One recording verified by several threads, from keyframe to keyframe.

#ifndef BKS_TOOL_VERIFY_PARTS_H
#define BKS_TOOL_VERIFY_PARTS_H

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"

/// Most threads.
enum { VERIFY_THREADS_MAX = 64 };

/// What to verify.
typedef struct verify_job {
    const void *bytes; ///< the whole file
    size_t count;      ///< of them
    bks_replay *replay;
    const char *path;      ///< of it, for a report of a crash
    const char *game_name; ///< as typed, for the same; NULL: the game's own
    const bks_game *game;
    bks_tick from;
    bks_tick until;   ///< 0: all
    uint32_t threads; ///< 1..VERIFY_THREADS_MAX
    progress *bar;    ///< begun; NULL: nothing is shown
} verify_job;

/// As bks_replay_verify() does, with the same result whatever the threads.
bks_status verify_parts(const verify_job *job, bks_verify_result *result, bks_error *error);

#endif
