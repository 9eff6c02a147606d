// SPDX-License-Identifier: MIT

/// @file doctor_case.h
/// What `bks doctor` was given, what it came to know, and its verdict.

#ifndef BKS_TOOL_DOCTOR_CASE_H
#define BKS_TOOL_DOCTOR_CASE_H

#include "diagnose/diff/replay_diff.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"

/// Most answers of other machines.
enum { DOCTOR_ANSWERS_MAX = 16 };

/// Room for a path.
enum { DOCTOR_PATH_BYTES = 1024 };

/// Room for all evidence: each header that differs, each answer, and the steps, of which there are
/// some 70 at most.
enum {
    DOCTOR_EVIDENCE_MAX = REPLAY_DIFF_HEADERS_MAX + DOCTOR_ANSWERS_MAX + 80,
    DOCTOR_EVIDENCE_BYTES = 640
};

/// Room for a value that a change sets.
enum { DOCTOR_SET_BYTES = 24 };

/// Bits of hashes that must agree for a proof: one try in 4 billion agrees by chance.
enum { DOCTOR_BITS_MIN = 32 };

/// A step that was tried, and what it showed.
typedef struct doctor_evidence {
    char text[DOCTOR_EVIDENCE_BYTES];
    bool is_detail; ///< in JSON alone
    bool is_answer; ///< to --shorten: in the text, however long that is
    bool is_proof;  ///< in the text, however long that is
} doctor_evidence;

/// By what a cause was proven.
typedef enum doctor_means {
    DOCTOR_BY_NOTHING = 0,
    DOCTOR_BY_FILES,     ///< header or inputs of each
    DOCTOR_BY_ROLLBACKS, ///< of the sides in `is_rolled`
    DOCTOR_BY_CHANGE,    ///< which turns the other side into side `turns`
    DOCTOR_BY_BIT,       ///< whose flip turns the other side into side `turns`
    DOCTOR_BY_SETTING,   ///< `change`, which comes to each side with its value in `set`
} doctor_means;

/// A proof, so that it can be shown again.
typedef struct doctor_way_of_proof {
    doctor_means means;
    bool is_rolled[2];
    int turns;
    const char *change; ///< name of a variant
    const char *value;  ///< behind it, NULL: none
    bks_tick first;     ///< where the change begins
    uint64_t bit;       ///< its number in the state
    char set[2][DOCTOR_SET_BYTES];
} doctor_way_of_proof;

/// What it comes to. Texts are empty where they are not known.
typedef struct doctor_verdict {
    bool is_same;
    bks_tick tick; ///< BKS_TICK_NONE: none differs
    char mark[CHECK_MARK_BYTES];
    replay_diff_value value; ///< its note is empty unless the object is no value, as "(free)"
    char line[128];          ///< of source, "game.c:27"
    char function[96];       ///< that it stands in
    char source[128];        ///< what stands there
    char line_why[160];      ///< a line is to be expected and not known: why
    const char *cause;       ///< NULL: they are the same
    char suspects[200];      ///< causes that may be it, and by what; empty: none, or one is proven
    bool is_proven;
    doctor_way_of_proof proof;
    const char *next; ///< what to do
} doctor_verdict;

/// One side: a recording; or, of a second side without one, what is known of it.
typedef struct doctor_side {
    replay_file file;                ///< `replay` is NULL when there is none
    const char *name;                ///< such as "A"
    uint32_t here_count;             ///< hashes that this machine came to instead, 0: none
    uint64_t here[CHECK_HASHES_MAX]; ///< from `first` of the case on
    bks_tick event_tick;             ///< a desync event's, BKS_TICK_NONE: there is none
    uint64_t event_hash;             ///< whole, at that tick
} doctor_side;

/// All of it.
typedef struct doctor_case {
    const char *game_name;    ///< as typed
    const char *build;        ///< file of another build; NULL: none
    const args_list *answers; ///< files, NULL: none
    check_options options;    ///< of the processes that step
    doctor_side sides[2];
    bool has_two; ///< recordings
    loaded_game game;
    state_names names;
    replay_diff diff;        ///< of two recordings
    bks_tick hash_tick;      ///< the first whose hashes differ; BKS_TICK_NONE: none
    bks_tick first;          ///< of the ticks whose hashes are compared
    bks_tick until;          ///< the last one
    bks_tick keep_from;      ///< plays keep states from this tick on; BKS_TICK_NONE: none
    const char *shaken;      ///< a change that makes any difference there; NULL: none did
    bool is_not_repeated[2]; ///< the machine of a side comes to the other side's hashes
    uint32_t evidence_count;
    doctor_evidence evidence[DOCTOR_EVIDENCE_MAX];
    doctor_verdict verdict;
    char advice[320]; ///< what the verdict's `next` points to, where it is of this case alone
    char shortened[2][DOCTOR_PATH_BYTES]; ///< parts that come to the same verdict
    bks_tick shortened_first;             ///< their first tick; BKS_TICK_NONE: there are none
    char c_test[DOCTOR_PATH_BYTES];       ///< a test's source; "": there is none
} doctor_case;

/// How a row of hashes agrees with both sides.
typedef struct doctor_match {
    bool is_same[2];  ///< at every tick up to the one that differs, itself included
    uint32_t bits[2]; ///< of the hashes that agree there and behind, where the sides differ
    bks_tick wrong;   ///< the first tick at which it agrees with neither; BKS_TICK_NONE: none
} doctor_match;

/// Write down a step that was tried, and what it showed.
void doctor_note(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// What was written down last stands in JSON alone.
void doctor_note_detail(doctor_case *c);

/// Some evidence proves the cause: it is never left out.
/// @param index  of the evidence
/// @param to     where it stands from now on, `index` at most
void doctor_note_proof(doctor_case *c, uint32_t index, uint32_t to);

/// Write down what came of --shorten, which is never left out.
void doctor_answer(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// The lowest bits that are known of a side's hash.
/// @param number  0 or 1
/// @return how many, 0: none
uint32_t doctor_hash_of(const doctor_case *c, int number, bks_tick tick, uint64_t *out);

/// Whether the lowest bits of two hashes are the same.
/// @param bits  0 (nothing is known, which agrees) to 64
bool doctor_hashes_agree(uint64_t a, uint64_t b, uint32_t bits);

/// Compare hashes that were come to here with those of both sides.
/// @param first   tick of the first hash
/// @param hashes  `count` of them
doctor_match doctor_compare(const doctor_case *c, bks_tick first, const uint64_t *hashes,
                            uint32_t count);

/// Whose hash a row has: "the hash of A", or "a third result".
/// @return a text that lives until the next call
const char *doctor_whose(const doctor_case *c, const doctor_match *match);

/// Open the recordings and set the options of the processes that step; errors go to stderr.
/// @param game  as typed, NULL: that of the recording
/// @param a, b  paths of recordings; b may be NULL
/// @return TOOL_OK; TOOL_MISUSE; TOOL_DAMAGED for a recording that is not whole
int doctor_open(doctor_case *c, const char *game, const char *a, const char *b);

/// Load the game and nothing else; errors go to stderr.
/// @return as loader_open()
int doctor_open_load(const doctor_case *c, loaded_game *out);

/// Load the game, which must be that of the recordings; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_game(doctor_case *c);

/// Compare headers, inputs and hashes, and find the first hash that differs; a recording alone is
/// stepped here, as by doctor_open_here(). Errors go to stderr.
/// @return TOOL_OK, also when they differ; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_compare(doctor_case *c);

/// Step the recording of side A and compare it with what it holds: sets the first tick that differs
/// and the window around it; errors go to stderr.
/// @return TOOL_OK, also when it differs; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_here(doctor_case *c, bks_verify_result *out);

/// Compare the marks and notes of two recordings, as evidence. After doctor_open_compare().
void doctor_open_marks(doctor_case *c);

/// Close the recordings; those that are not open are passed over.
void doctor_close(doctor_case *c);

#endif
