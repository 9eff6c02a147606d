// SPDX-License-Identifier: MIT

/// @file golden_changes.h
/// How each golden file of the newest version is made from a recording.

#ifndef TEST_REPLAY_GOLDEN_CHANGES_H
#define TEST_REPLAY_GOLDEN_CHANGES_H

#include "recording.h"

typedef struct golden_change {
    const char *name;
    bool finish;                       ///< made from a complete recording
    void (*change)(memory_file *file); ///< what is done to it
    void (*record)(memory_file *file); ///< made from this recording instead, NULL
} golden_change;

extern const golden_change golden_changes[];
extern const size_t golden_change_count;

/// Make a file.
void golden_make(const golden_change *change, memory_file *file);

#endif
