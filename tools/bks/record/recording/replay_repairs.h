// SPDX-License-Identifier: MIT

/// @file replay_repairs.h
/// The repairs that a recording reports of, as text and as JSON.

#ifndef BKS_TOOL_REPLAY_REPAIRS_H
#define BKS_TOOL_REPLAY_REPAIRS_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Room for a sentence.
enum { REPLAY_REPAIR_TEXT_BYTES = 192 };

/// Whose state was wrong when, and how it was put right.
void replay_repair_text(const bks_replay_repair *repair, char out[REPLAY_REPAIR_TEXT_BYTES]);

/// Write one as an object in an array.
void replay_repair_json(json *j, const bks_replay_repair *repair);

/// Write the key "repairs", an array of all.
void replay_repairs_json(json *j, const replay_file *file);

/// Print a line for each, as part of what a recording holds.
void replay_repairs_print(const replay_file *file);

#endif
