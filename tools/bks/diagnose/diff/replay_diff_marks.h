// SPDX-License-Identifier: MIT

/// @file replay_diff_marks.h
/// Comparison of states at marks and of notes in two recordings.

#ifndef BKS_TOOL_REPLAY_DIFF_MARKS_H
#define BKS_TOOL_REPLAY_DIFF_MARKS_H

#include "diagnose/diff/replay_diff.h"
#include "record/recording/replay_file.h"

enum { NOTE_LIST_MAX = 4096, NOTE_LIST_NONE = NOTE_LIST_MAX };

/// Hashes of the notes of a tick, and the text of one of them. Set `wanted` before adding notes.
typedef struct note_list {
    uint32_t count;
    uint64_t hashes[NOTE_LIST_MAX];
    /// Index of the note whose text is stored, NOTE_LIST_NONE: none.
    uint32_t wanted;
    /// Number of the tick's states that precede the note `wanted`.
    uint32_t states_before;
    char text[REPLAY_DIFF_TEXT_BYTES]; ///< text of the note `wanted`; "" until that note is added
} note_list;

/// Add a note to a list. The signature is that of `visit` of bks_replay_notes().
/// @param context  the note_list
/// @return false if the list is full
bool note_list_add(void *context, uint32_t states_before, const char *text);

/// Return the index of the first note that differs, NOTE_LIST_NONE if no note differs.
uint32_t note_list_compare(const note_list *a, const note_list *b);

/// Read the states at the marks of a tick from both recordings.
/// @param wanted  index of the state whose bytes are stored, MARK_LIST_NONE: none
/// @param lists   {0} at first; release each with mark_list_end()
/// @return false if one of the recordings lacks the tick
bool replay_diff_read_marks(const replay_diff *d, bks_tick tick, uint32_t wanted,
                            mark_list lists[2]);

/// Name the first value that differs between the two states whose bytes are stored in the lists.
/// @return false if a state is missing or nothing differs
bool replay_diff_name_marks(const state_names *names, const mark_list *a, const mark_list *b,
                            replay_diff_value *out);

/// Compare the recorded states at marks, and the notes. Name the first state and the first note
/// that differ. Call replay_diff_make() first. No effect unless both recordings have marks.
void replay_diff_marks_compare(const state_names *names, replay_diff *d);

#endif
