// SPDX-License-Identifier: MIT

/// @file replay_diff_notes.h
/// Where the notes that two recordings hold differ first; nothing is stepped for it.

#ifndef BKS_TOOL_REPLAY_DIFF_NOTES_H
#define BKS_TOOL_REPLAY_DIFF_NOTES_H

#include "diagnose/diff/replay_diff.h"

/// Compare the notes, up to the tick whose states at marks differ first. After
/// replay_diff_marks_compare(), whose result it completes. Without marks in both nothing happens.
void replay_diff_notes_compare(replay_diff *d);

#endif
