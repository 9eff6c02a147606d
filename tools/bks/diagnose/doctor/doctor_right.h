// SPDX-License-Identifier: MIT

/// @file doctor_right.h
/// A recording as it would be had every guess been right: the same rollbacks over the same ticks,
/// but all stepped with what was played. What it comes to shows what any rollback leaves
/// behind, and what only wrong guesses do.

#ifndef BKS_TOOL_DOCTOR_RIGHT_H
#define BKS_TOOL_DOCTOR_RIGHT_H

#include "diagnose/doctor/doctor_memory.h"
#include "record/recording/replay_file.h"

/// One such recording, in memory. Start from {0}, release with doctor_right_free().
typedef struct doctor_right {
    doctor_memory memory;
    bks_replay *replay; ///< NULL when it could not be made
} doctor_right;

/// Make it.
/// @param file  without answers (bks_ask()), which are not copied
/// @return whether it is there
bool doctor_right_make(const replay_file *file, const bks_game *game, doctor_right *out);

void doctor_right_free(doctor_right *right);

#endif
