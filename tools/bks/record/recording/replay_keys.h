// SPDX-License-Identifier: MIT

/// @file replay_keys.h
/// How far a recording's states to seek by stand apart.

#ifndef BKS_TOOL_REPLAY_KEYS_H
#define BKS_TOOL_REPLAY_KEYS_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Print it as lines of `bks replay info`.
void replay_keys_print(const replay_file *file);

/// Write the same into the object that is open.
void replay_keys_json(json *j, const replay_file *file);

#endif
