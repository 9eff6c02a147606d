// SPDX-License-Identifier: MIT

/// @file replay_diff_marks.h
/// Comparison of states at marks and of notes in two recordings.

#ifndef BKS_TOOL_REPLAY_DIFF_MARKS_H
#define BKS_TOOL_REPLAY_DIFF_MARKS_H

#include "diagnose/diff/replay_diff.h"
#include "record/recording/replay_file.h"

enum { NOTE_LIST_MAX = 4096, NOTE_LIST_NONE = NOTE_LIST_MAX };

/// Hashes of the notes of a tick, and the text of one. Set `wanted` before adding notes.
typedef struct note_list {
    uint32_t count;
    uint64_t hashes[NOTE_LIST_MAX];
    uint32_t wanted;                   ///< note whose text is kept, NOTE_LIST_NONE: none
    uint32_t states_before;            ///< states of the tick before that note
    char text[REPLAY_DIFF_TEXT_BYTES]; ///< text of that note; "": not added yet
} note_list;

/// Add a note: a `visit` of bks_replay_notes().
/// @param context  the list
/// @return false when it is full
bool note_list_add(void *context, uint32_t states_before, const char *text);

/// Return the index of the first note that differs, NOTE_LIST_NONE if none does.
uint32_t note_list_compare(const note_list *a, const note_list *b);

/// Read the states at the marks of a tick from both recordings.
/// @param wanted  index of the state whose bytes are kept, MARK_LIST_NONE: none
/// @param lists   {0} at first; release each with mark_list_end()
/// @return false: one of the recordings does not have the tick
bool replay_diff_read_marks(const replay_diff *d, bks_tick tick, uint32_t wanted,
                            mark_list lists[2]);

/// Name the first value that differs of the two states whose bytes are kept.
/// @return false if a state is missing or nothing differs
bool replay_diff_name_marks(const state_names *names, const mark_list *a, const mark_list *b,
                            replay_diff_value *out);

/// Compare the recorded states at marks, and the notes. Name the first state and the first note
/// that differ. Call replay_diff_make() first. Has no effect unless both recordings have marks.
void replay_diff_marks_compare(const state_names *names, replay_diff *d);

#endif
