// SPDX-License-Identifier: MIT

/// @file replay_diff.h First difference of two recordings, found by comparing their files and by
/// stepping both on this machine.

#ifndef BKS_TOOL_REPLAY_DIFF_H
#define BKS_TOOL_REPLAY_DIFF_H

#include "backstitch/toolkit/recording.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"

enum { REPLAY_DIFF_HEADERS_MAX = 64, REPLAY_DIFF_TEXT_BYTES = 256 };

/// One entry of the recordings' headers that differs.
typedef struct replay_diff_header {
    char name[80];
    char a[80];
    char b[80];
    /// True for an entry that must be the same on all peers; false for one that may differ, such as
    /// where the match was recorded.
    bool counts;
} replay_diff_header;

/// A place in the state, and its value in both recordings. Texts that are not known are empty.
typedef struct replay_diff_value {
    char name[288]; ///< object and field, such as score[1]
    char object[112];
    char field[160];
    char a[STATE_VALUE_BYTES];
    char b[STATE_VALUE_BYTES];
    char note[256];
} replay_diff_value;

/// First difference between the states when both recordings are stepped on this machine.
typedef struct replay_diff_state {
    bool is_stepped;
    char why[REPLAY_DIFF_TEXT_BYTES]; ///< reason why the recordings are not stepped
    /// First tick whose states at its start differ, BKS_TICK_NONE: none.
    bks_tick tick;
    uint64_t a;
    uint64_t b;
    bks_tick step_tick; ///< tick whose step caused the difference
    /// First mark at which the states differ in the step of `step_tick`; "(start)": before its
    /// first mark, "(end)": after its last mark.
    char mark[REPLAY_DIFF_TEXT_BYTES];
    replay_diff_value value; ///< first value that differs at the mark `mark`
    uint64_t mark_a;         ///< hash of A's state at the mark `mark`
    uint64_t mark_b;
    /// First note that differs in the step of `step_tick`, in A and in B; "": none.
    char note[2][REPLAY_DIFF_TEXT_BYTES];
} replay_diff_state;

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
    replay_diff_value value;
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
    /// Recording whose hash at found.hash_tick this machine gets by stepping the inputs: "A", "B"
    /// or "neither". NULL: the recordings are not stepped.
    const char *whose;
    /// Names of the objects in the page that differs, which is found.page.
    char page[REPLAY_DIFF_TEXT_BYTES];
    replay_diff_value value; ///< first recorded value that differs, at found.value_tick
    replay_diff_value
        keyframe_value; ///< first value that differs between the keyframes at found.state_tick
    char desync[2][REPLAY_DIFF_TEXT_BYTES]; ///< first desync event of each recording; "": none
    bool has_other_event;                   ///< true if a peer joined or left in only one recording
    /// Earliest join or leave that only one recording has; "" in the recording without it.
    char event[2][REPLAY_DIFF_TEXT_BYTES];
    replay_diff_marks marks;
    replay_diff_notes notes;
    replay_diff_state state;
} replay_diff;

/// Compare two files, without stepping them.
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

/// Name the first value that differs between two states.
/// @return false if nothing differs; `out` is then unchanged
bool replay_diff_name(const state_names *names, const bks_compared_state *a,
                      const bks_compared_state *b, replay_diff_value *out);

/// Name the first value that differs in the first keyframes that differ. Store it in
/// d->keyframe_value.
void replay_diff_name_keyframes(const state_names *names, replay_diff *d);

/// Size of the text that replay_diff_value_text() writes, in bytes.
enum { REPLAY_DIFF_VALUE_BYTES = 1024 };

/// Write a value as ": score[1] (note): 0 in A, 8 in B".
/// @param out  receives the text, "" if no value is known
void replay_diff_value_text(const replay_diff_value *value, char *out, size_t capacity);

/// Function that receives one line of a report.
/// @param is_detail  true for a line that few readers need
typedef void replay_diff_report(void *context, bool is_detail, const char *line);

/// Report how headers, inputs, hashes, pages, values, keyframes and events compare. Call
/// replay_diff_make() first.
void replay_diff_report_files(const replay_diff *d, replay_diff_report *tell, void *context);

/// Report how states at marks and notes compare. Call replay_diff_marks_compare() first.
void replay_diff_report_marks(const replay_diff *d, replay_diff_report *tell, void *context);

/// Complete the result of replay_diff_make(). Compare marks and notes with the game's names of
/// values. Then step the recordings on this machine to find the first state that differs, or the
/// recording whose hash this machine gets. Errors go to stderr.
/// @param game_name  name of the game; NULL: the game that the recordings name
/// @return TOOL_OK, or TOOL_MISUSE if `game_name` is not the game of the recordings
int replay_diff_step(replay_file *a, replay_file *b, const char *game_name, replay_diff *d);

#endif
