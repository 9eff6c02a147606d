// SPDX-License-Identifier: MIT

/// @file verify_parts.h
/// Verifies one recording by several threads, from keyframe to keyframe.

#ifndef BKS_TOOL_VERIFY_PARTS_H
#define BKS_TOOL_VERIFY_PARTS_H

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"

/// Maximum number of threads that verify.
enum { VERIFY_THREADS_MAX = 64 };

/// Recording to verify, and settings for verifying it.
typedef struct verify_job {
    const void *bytes; ///< bytes of the whole file
    size_t count;      ///< size of the file in bytes
    bks_replay *replay;
    const char *path; ///< path of the file, for the report of a crash
    /// Name of the game as typed, for the report of a crash. NULL: the game's own name.
    const char *game_name;
    const bks_game *game;
    bks_tick from;
    bks_tick until;   ///< last tick to verify; 0: all
    uint32_t threads; ///< number of threads, 1..VERIFY_THREADS_MAX
    progress *bar;    ///< progress bar that has begun; NULL: none
} verify_job;

/// Verify as bks_replay_verify() does, with the same result for any number of threads.
bks_status verify_parts(const verify_job *job, bks_verify_result *result, bks_error *error);

#endif
