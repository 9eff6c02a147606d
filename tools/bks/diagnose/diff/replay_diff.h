// SPDX-License-Identifier: MIT

/// @file replay_diff.h First difference of two recordings, found by comparing their files.

#ifndef BKS_TOOL_REPLAY_DIFF_H
#define BKS_TOOL_REPLAY_DIFF_H

#include "backstitch/toolkit/recording.h"
#include "diagnose/diff/diff_command.h"
#include "game/layout_text.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"

enum { REPLAY_DIFF_HEADERS_MAX = 64, REPLAY_DIFF_TEXT_BYTES = 256 };

/// One entry of the recordings' headers that differs.
typedef struct replay_diff_header {
    char name[80];
    char a[LAYOUT_TEXT_BYTES];
    char b[LAYOUT_TEXT_BYTES];
    /// True for an entry that must be the same on all peers; false for one that may differ, such as
    /// where the match was recorded.
    bool counts;
} replay_diff_header;

/// First difference among the states at marks, for ticks whose marks both files hold.
typedef struct replay_diff_marks {
    bks_tick compared; ///< number of ticks whose states at marks were compared
    bks_tick lost;     ///< number of ticks whose states at marks only one file holds
    bks_tick tick;     ///< first tick at which a state differs, BKS_TICK_NONE: none
    /// Mark at which the state differs; "(start)": start of the tick, "(end)": after the last mark.
    char mark[64];
    /// Index of the differing state in the list of the tick's states; 0 is the state at the tick's
    /// start.
    uint32_t number;
    /// True if a hash differs at an earlier tick, for which no marks were recorded.
    bool is_late;
    state_difference value;
} replay_diff_marks;

/// First difference among the notes, for ticks whose notes both files hold.
typedef struct replay_diff_notes {
    bks_tick compared; ///< number of ticks whose notes were compared
    bks_tick tick;     ///< first tick whose notes differ, BKS_TICK_NONE: none
    char mark[64];     ///< last mark before the note that differs; "": not known
    /// Note that differs, in A and in B; "": the recording lacks it.
    char text[2][REPLAY_DIFF_TEXT_BYTES];
    /// True if no state at a mark, and no hash, differs earlier than the note.
    bool is_first;
} replay_diff_notes;

/// Result of comparing two recordings.
typedef struct replay_diff {
    const replay_file *files[2];
    bks_replay_comparison found; ///< result of comparing the files without stepping them
    /// True: compare marks and notes also of ticks that a repair corrected later.
    bool includes_repaired;
    uint32_t header_count;
    replay_diff_header headers[REPLAY_DIFF_HEADERS_MAX];
    char input_field[32]; ///< name of the input field that found.input is about
    char guess_field[32]; ///< name of the input field that found.guess is about
    /// Command that differs, if found.input is about commands. Empty texts: not known.
    diff_command input_command;
    diff_command guess_command; ///< command that differs, if found.guess is about commands
    /// Names of the objects in the page that differs, which is found.page.
    char page[REPLAY_DIFF_TEXT_BYTES];
    state_difference value; ///< first recorded value that differs, at found.value_tick
    /// First value that differs between the keyframes at found.state_tick.
    state_difference keyframe_value;
    char desync[2][REPLAY_DIFF_TEXT_BYTES]; ///< first desync event of each recording; "": none
    bool has_other_event;                   ///< true if a peer joined or left in only one recording
    /// Earliest join or leave that only one recording has; "" in the recording without it.
    char event[2][REPLAY_DIFF_TEXT_BYTES];
    replay_diff_marks marks;
    replay_diff_notes notes;
} replay_diff;

/// Compare two files, without stepping them. replay_diff_name_all() names what differs,
/// replay_diff_marks_compare() compares marks and notes.
/// @param a, b  the recordings; must outlive `out`
/// @return TOOL_OK, or TOOL_DAMAGED with an error on stderr if there is no memory
int replay_diff_make(const replay_file *a, const replay_file *b, replay_diff *out);

/// Compare only the headers, and store the differences in d->headers. replay_diff_make() includes
/// this.
void replay_diff_headers(const bks_recording *a, const bks_recording *b, replay_diff *d);

/// Return true if the recordings have ticks in common and nothing differs that must be the same.
bool replay_diff_is_same(const replay_diff *d);

/// Return true if nothing differs, but only because the recordings have no tick in common that
/// could show a difference.
bool replay_diff_is_undecided(const replay_diff *d);

/// Return true if the marks and notes of a tick must not be compared, because a repair corrected
/// the tick later in one recording.
bool replay_diff_skips(const replay_diff *d, bks_tick tick);

/// Return the first tick at which anything differs, BKS_TICK_NONE if nothing differs.
bks_tick replay_diff_first(const replay_diff *d);

/// Return true if the headers differ in seed, options or number of players.
bool replay_diff_starts_differ(const replay_diff *d);

/// Name the first input field, page, value and keyframe that differ.
void replay_diff_name_all(const state_names *names, replay_diff *d);

#endif
