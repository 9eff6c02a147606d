// SPDX-License-Identifier: MIT

/// @file replay_kinds.h
/// What a recording holds, by kind: its bytes, and what there is besides inputs and hashes.

#ifndef BKS_TOOL_REPLAY_KINDS_H
#define BKS_TOOL_REPLAY_KINDS_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Write the keys "bytes_by", "rollbacks", "repairs", "facts", "events_by", "values" and "pages".
void replay_kinds_json(json *j, const replay_file *file);

/// Print where the bytes are.
void replay_kinds_print_bytes(const replay_file *file);

/// Print what there is of events, rollbacks, repairs, facts, values and pages.
void replay_kinds_print(const replay_file *file);

#endif
