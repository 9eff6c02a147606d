// SPDX-License-Identifier: MIT

/// @file doctor_case.h
/// The case of `bks doctor`: two sides, the evidence about them, and the verdict.

#ifndef BKS_TOOL_DOCTOR_CASE_H
#define BKS_TOOL_DOCTOR_CASE_H

#include "diagnose/diff/replay_diff.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"

/// Maximum number of answers from other machines.
enum { DOCTOR_ANSWERS_MAX = 16 };

/// Bytes of a path.
enum { DOCTOR_PATH_BYTES = 1024 };

/// Maximum number of pieces of evidence: differing headers, answers, and at most some 70 steps.
enum {
    DOCTOR_EVIDENCE_MAX = REPLAY_DIFF_HEADERS_MAX + DOCTOR_ANSWERS_MAX + 80,
    DOCTOR_EVIDENCE_BYTES = 640
};

/// Bytes of the text of a value that a change sets.
enum { DOCTOR_SET_BYTES = 24 };

/// Bits of hashes that must agree for a proof. 32 agree by chance once in 4 billion tries.
enum { DOCTOR_BITS_MIN = 32 };

/// One step of the examination and its result.
typedef struct doctor_evidence {
    char text[DOCTOR_EVIDENCE_BYTES];
    bool is_detail;        ///< printed only in JSON
    bool is_of_shortening; ///< result of --shorten, always printed
    bool is_proof;         ///< always printed
} doctor_evidence;

/// Means by which a cause was proven.
typedef enum doctor_means {
    DOCTOR_BY_NOTHING = 0,
    DOCTOR_BY_FILES,     ///< each side's header and inputs lead to its hashes
    DOCTOR_BY_ROLLBACKS, ///< rollbacks of the sides in `is_rolled` lead to their hashes
    DOCTOR_BY_CHANGE,    ///< `change` turns the other side's hashes into those of side `turns`
    DOCTOR_BY_BIT,     ///< flipping `bit` turns the other side's hashes into those of side `turns`
    DOCTOR_BY_SETTING, ///< `change` with the values in `set` leads to each side's state
} doctor_means;

/// A proof, with all that it takes to repeat it.
typedef struct doctor_proof {
    doctor_means means;
    bool is_rolled[2];
    int turns;
    const char *change; ///< name of a variant of `bks check`
    const char *value;  ///< value of the variant, NULL: none
    bks_tick first;     ///< first tick that is stepped under the change
    uint64_t bit;       ///< index of the bit in the state
    char set[2][DOCTOR_SET_BYTES];
} doctor_proof;

/// Result of an examination. Texts are empty if they are not known.
typedef struct doctor_verdict {
    bool is_same;
    bks_tick tick; ///< first tick that differs, BKS_TICK_NONE: none
    char mark[CHECK_MARK_BYTES];
    replay_diff_value value; ///< first value that differs; has a note only if it is no named value
    char line[128];          ///< source line that wrote the value, such as "game.c:27"
    char function[96];       ///< function of that line
    char source[128];        ///< text of that line
    char line_why[160];      ///< reason why the line is not known
    const char *cause;       ///< word of the JSON, NULL: the sides are the same
    char suspects[200]; ///< possible causes if none is proven, and the changes that suggest them
    bool is_proven;
    doctor_proof proof;
    const char *next; ///< advice
} doctor_verdict;

/// One side of the comparison: a recording, or the hashes known of a side without one.
typedef struct doctor_side {
    replay_file file;                ///< its `replay` is NULL without a recording
    const char *name;                ///< such as "A"
    uint32_t here_count;             ///< length of here
    uint64_t here[CHECK_HASHES_MAX]; ///< hashes of this machine, from tick `first` of the case on
    bks_tick event_tick;             ///< tick of the desync event, BKS_TICK_NONE: there is none
    uint64_t event_hash;             ///< whole hash at that tick
} doctor_side;

/// A case.
typedef struct doctor_case {
    const char *game_name;    ///< name of the game as typed
    const char *build;        ///< file of another build; NULL: none
    const args_list *answers; ///< files with answers, NULL: none
    check_options options;    ///< options of the processes that step
    doctor_side sides[2];
    bool has_two; ///< both sides have a recording
    loaded_game game;
    state_names names;
    replay_diff diff;         ///< comparison of two recordings
    bks_tick hash_tick;       ///< first tick whose hashes differ, BKS_TICK_NONE: none
    bks_tick first;           ///< first tick whose hashes are compared
    bks_tick until;           ///< last tick whose hashes are compared
    bks_tick keep_from;       ///< first tick whose states plays keep, BKS_TICK_NONE: none
    const char *sensitive_to; ///< first change that made any difference, NULL: none
    bool is_not_repeated[2];  ///< an answer of the side's machine has the other side's hashes
    uint32_t evidence_count;
    doctor_evidence evidence[DOCTOR_EVIDENCE_MAX];
    doctor_verdict verdict;
    char advice[320]; ///< text of the verdict's `next`, if it is made for this case
    char shortened[2][DOCTOR_PATH_BYTES]; ///< paths of the shortened recordings
    bks_tick shortened_first;       ///< first tick of the shortened recordings, BKS_TICK_NONE: none
    char c_test[DOCTOR_PATH_BYTES]; ///< path of the C test, "": there is none
} doctor_case;

/// Agreement of a row of hashes with both sides.
typedef struct doctor_match {
    bool is_same[2];  ///< equal at every tick up to and including hash_tick
    uint32_t bits[2]; ///< bits that agree from hash_tick on, at ticks where the sides differ
    bks_tick wrong;   ///< first tick at which the row agrees with no side, BKS_TICK_NONE: none
} doctor_match;

/// Add a piece of evidence: a step and its result.
void doctor_note(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// Print the newest piece of evidence only in JSON.
void doctor_note_detail(doctor_case *c);

/// Mark a piece of evidence as the proof, which is always printed, and move it forward.
/// @param index  index of the evidence
/// @param to     new index of the evidence, at most `index`
void doctor_note_proof(doctor_case *c, uint32_t index, uint32_t to);

/// Add the result of --shorten, which is always printed.
void doctor_note_shortening(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// Get the lowest bits of a side's hash, as far as they are known.
/// @param number  number of the side, 0 or 1
/// @return number of bits known, 0 to 64
uint32_t doctor_hash_of(const doctor_case *c, int number, bks_tick tick, uint64_t *out);

/// Return true if the lowest bits of two hashes are the same.
/// @param bits  0 to 64; 0 always agrees
bool doctor_hashes_agree(uint64_t a, uint64_t b, uint32_t bits);

/// Compare hashes computed on this machine with those of both sides.
/// @param first   tick of the first hash
/// @param hashes  `count` of them
doctor_match doctor_compare(const doctor_case *c, bks_tick first, const uint64_t *hashes,
                            uint32_t count);

/// Return "the hash of A", "the hash of B" or "a third result". The text lives until the next call.
const char *doctor_match_text(const doctor_case *c, const doctor_match *match);

/// Open the recordings and set the options of the processes that step; errors go to stderr.
/// @param game  as typed, NULL: the game that the recording names
/// @param a, b  paths of recordings; b may be NULL
/// @return TOOL_OK; TOOL_DAMAGED: a recording is not whole
int doctor_open(doctor_case *c, const char *game, const char *a, const char *b);

/// Load the game without any check; errors go to stderr.
/// @return as loader_open()
int doctor_open_load(const doctor_case *c, loaded_game *out);

/// Load the game and check that it is the game of the recordings; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_game(doctor_case *c);

/// Compare headers, inputs and hashes, and find the first hash that differs. A single recording is
/// stepped by doctor_open_here() instead. Errors go to stderr.
/// @return TOOL_OK, also when they differ; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_compare(doctor_case *c);

/// Step the recording of side A and compare the hashes with the recorded ones. Sets the first tick
/// that differs and the compared ticks around it. Errors go to stderr.
/// @return TOOL_OK, also when it differs; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_here(doctor_case *c, bks_verify_result *out);

/// Add the comparison of marks and notes to the evidence. Call doctor_open_compare() first.
void doctor_open_marks(doctor_case *c);

/// Close the recordings that are open.
void doctor_close(doctor_case *c);

#endif
