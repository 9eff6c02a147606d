// SPDX-License-Identifier: MIT

/// @file replay_diff_marks.h
/// Where the states at marks that two recordings hold differ first; nothing is stepped for it.

#ifndef BKS_TOOL_REPLAY_DIFF_MARKS_H
#define BKS_TOOL_REPLAY_DIFF_MARKS_H

#include "diagnose/diff/replay_diff.h"

/// Compare the states at marks, and name the first that differs. After replay_diff_make(), whose
/// result it completes. Without such states in both nothing happens.
void replay_diff_marks_compare(const state_names *names, replay_diff *d);

#endif
