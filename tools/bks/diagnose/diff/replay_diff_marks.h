// SPDX-License-Identifier: MIT

/// @file replay_diff_marks.h
/// Comparison of states at marks and of notes in two recordings.

#ifndef BKS_TOOL_REPLAY_DIFF_MARKS_H
#define BKS_TOOL_REPLAY_DIFF_MARKS_H

#include "diagnose/diff/replay_diff.h"
#include "record/recording/replay_file.h"

/// Read the states at the marks of a tick from both recordings.
/// @param wanted  index of the state whose bytes are stored, MARK_LIST_NONE: none
/// @param lists   {0} at first; release each with mark_list_end()
/// @return false if one of the recordings lacks the tick
bool replay_diff_read_marks(const replay_diff *d, bks_tick tick, uint32_t wanted,
                            mark_list lists[2]);

/// Compare the recorded states at marks, and the notes. Name the first state and the first note
/// that differ. Call replay_diff_make() first. No effect unless both recordings have marks.
void replay_diff_marks_compare(const state_names *names, replay_diff *d);

#endif
