// SPDX-License-Identifier: MIT

/// @file replay_diff.h
/// Where two recordings first differ: what is in the files, and what stepping them here adds.

#ifndef BKS_TOOL_REPLAY_DIFF_H
#define BKS_TOOL_REPLAY_DIFF_H

#include "backstitch/toolkit/recording.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"

enum { REPLAY_DIFF_HEADERS_MAX = 64, REPLAY_DIFF_TEXT_BYTES = 256 };

/// Something that the files say of themselves, and differently.
typedef struct replay_diff_header {
    char name[80];
    char a[80];
    char b[80];
    bool counts; ///< it makes the recordings differ: true for all but where they were recorded
} replay_diff_header;

/// A place in the state and what it holds in both. Texts are empty where they are not known.
typedef struct replay_diff_value {
    char name[288]; ///< such as "score[1]"
    char object[112];
    char field[160];
    char a[STATE_VALUE_BYTES];
    char b[STATE_VALUE_BYTES];
    char note[256];
} replay_diff_value;

/// The first state that differs when both are stepped here.
typedef struct replay_diff_state {
    bool is_stepped;
    char why[REPLAY_DIFF_TEXT_BYTES]; ///< why not
    bks_tick tick;                    ///< the state at its start differs; BKS_TICK_NONE: none
    uint64_t a;
    uint64_t b;
    bks_tick step_tick;                ///< the step that made the difference
    char mark[REPLAY_DIFF_TEXT_BYTES]; ///< of that step, the first where they differ; "(start)":
                                       ///< its beginning, "(end)": behind the last
    replay_diff_value value;           ///< what differs there
    uint64_t mark_a;                   ///< hashes there
    uint64_t mark_b;
    char note[2][REPLAY_DIFF_TEXT_BYTES]; ///< the first note that differs in that tick; "": none
} replay_diff_state;

/// The first state at a mark that differs, of those in the files.
typedef struct replay_diff_marks {
    bks_tick compared; ///< ticks
    bks_tick lost;     ///< ticks that one of them does not have
    bks_tick tick;     ///< BKS_TICK_NONE: none differs
    char mark[64];     ///< "(start)": the beginning of the tick, "(end)": behind its last mark
    uint32_t number;   ///< of that state in the tick, from 0
    bool is_late;      ///< a hash differs before it: they parted earlier, where there are no marks
    replay_diff_value value;
} replay_diff_marks;

/// The first note that differs, of those in the files.
typedef struct replay_diff_notes {
    bks_tick compared;                    ///< ticks
    bks_tick tick;                        ///< BKS_TICK_NONE: none differs
    char mark[64];                        ///< mark before it; "": not known
    char text[2][REPLAY_DIFF_TEXT_BYTES]; ///< "": none
    bool is_first;                        ///< no hash differs before it, and no state at a mark
} replay_diff_notes;

/// All of it.
typedef struct replay_diff {
    const replay_file *files[2];
    bks_replay_comparison found; ///< what the files hold
    bool sees_repaired; ///< marks and notes of ticks that were wrong until a repair are compared,
                        ///< too
    uint32_t header_count;
    replay_diff_header headers[REPLAY_DIFF_HEADERS_MAX];
    char input_field[32]; ///< of found.input
    char guess_field[32]; ///< of found.guess
    const char *whose; ///< recording whose hash at found.hash_tick this machine comes to: "A", "B"
                       ///< or "neither"; NULL: not stepped
    char page[REPLAY_DIFF_TEXT_BYTES]; ///< what lies in found.page
    replay_diff_value value;           ///< at found.value_tick
    replay_diff_value kept;            ///< at found.state_offset, in the state at found.state_tick
    char desync[2][REPLAY_DIFF_TEXT_BYTES]; ///< the desync event that each has first; "": none
    bool has_other_event;                   ///< a peer joined or left in one of them alone
    char event[2][REPLAY_DIFF_TEXT_BYTES];  ///< the first such event; "": it has none
    replay_diff_marks marks;
    replay_diff_notes notes;
    replay_diff_state state;
} replay_diff;

/// Compare what is in the files.
/// @param a, b  must outlive `out`
/// @return TOOL_OK; TOOL_DAMAGED when there is no memory, with an error on stderr
int replay_diff_make(const replay_file *a, const replay_file *b, replay_diff *out);

/// Compare what they say of themselves alone, into d->headers. replay_diff_make() does it, too.
void replay_diff_headers(const bks_recording *a, const bks_recording *b, replay_diff *d);

/// Whether some tick is in both, and nothing that counts differs there.
bool replay_diff_is_same(const replay_diff *d);

/// Whether nothing differs, but no tick is in both to show that they are the same.
bool replay_diff_is_open(const replay_diff *d);

/// Whether the marks and notes of a tick are not compared: one of them was wrong there until a
/// repair.
bool replay_diff_passes(const replay_diff *d, bks_tick tick);

/// The first tick from which on they are known to differ, BKS_TICK_NONE: none.
bks_tick replay_diff_first(const replay_diff *d);

/// Return true if the headers give the match another seed, other options or other players.
bool replay_diff_starts_differ(const replay_diff *d);

/// Name the first value that differs of two states, with what both hold.
/// @return false: nothing differs, and `out` stays as it is
bool replay_diff_name(const state_names *names, const bks_compared_state *a,
                      const bks_compared_state *b, replay_diff_value *out);

/// Name the first value that differs of the first keyframes that do.
void replay_diff_name_kept(const state_names *names, replay_diff *d);

/// Room for the text of a value.
enum { REPLAY_DIFF_VALUE_BYTES = 1024 };

/// Write ": score[1] (note): 0 in A, 8 in B".
/// @param out  receives the text, "" if no value is known
void replay_diff_value_text(const replay_diff_value *value, char *out, size_t capacity);

/// Receives a line of text.
/// @param is_detail  few readers need it
typedef void replay_diff_tell(void *context, bool is_detail, const char *line);

/// Tell what the files hold: headers, inputs, hashes, pages, values, keyframes, events. After
/// replay_diff_make().
void replay_diff_tell_files(const replay_diff *d, replay_diff_tell *tell, void *context);

/// Tell what the states at marks and the notes of both show. After replay_diff_marks_compare().
void replay_diff_tell_marks(const replay_diff *d, replay_diff_tell *tell, void *context);

/// Compare the states at marks and the notes in the files, by the names of the game; then step both
/// recordings here and find the first state that differs, or whose hash is right. After
/// replay_diff_make(), whose result it completes.
/// @param game_name  NULL: found by the recordings' own; its errors go to stderr
/// @return TOOL_OK, TOOL_MISUSE: `game_name` is another game, which stderr says
int replay_diff_step(replay_file *a, replay_file *b, const char *game_name, replay_diff *d);

#endif
