// SPDX-License-Identifier: MIT

/// @file log_evidence.h
/// What a recording holds of a desync, as 'replay info' lists it.

#ifndef BKS_TOOL_LOG_EVIDENCE_H
#define BKS_TOOL_LOG_EVIDENCE_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// A few lines; none when there is no evidence.
void log_evidence_print(const replay_file *file);

/// The arrays "evidence" and "log" into the object that is open.
void log_evidence_json(json *j, const replay_file *file);

#endif
