// SPDX-License-Identifier: MIT

/// @file doctor_case.h A case of `bks doctor`: the two sides whose states differ, the evidence
/// about them, and the verdict.

#ifndef BKS_TOOL_DOCTOR_CASE_H
#define BKS_TOOL_DOCTOR_CASE_H

#include "diagnose/diff/replay_diff.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_tape.h"

/// Maximum number of answers from other machines.
enum { DOCTOR_ANSWERS_MAX = 16 };

/// Size of a path, in bytes.
enum { DOCTOR_PATH_BYTES = 1024 };

/// Maximum number of pieces of evidence: one for each differing header entry, one for each answer
/// file, and those of the steps of the examination, which are about 100 at most.
enum {
    DOCTOR_EVIDENCE_MAX = REPLAY_DIFF_HEADERS_MAX + DOCTOR_ANSWERS_MAX + 112,
    DOCTOR_EVIDENCE_BYTES = 640
};

/// Size of the text of a value that a change sets, in bytes.
enum { DOCTOR_SET_BYTES = 128 };

/// Fewest bits of hashes that must agree for a proof. 32 bits agree by chance once in 4 billion
/// tries.
enum { DOCTOR_BITS_MIN = 32 };

/// Evidence: one step of the examination and its result.
typedef struct doctor_evidence {
    char text[DOCTOR_EVIDENCE_BYTES];
    bool is_detail;        ///< true: print this evidence only in JSON
    bool is_of_shortening; ///< true for a result of --shorten; always printed
    bool is_proof;         ///< true for evidence that proves the cause; always printed
} doctor_evidence;

/// Means by which a cause was proven.
typedef enum doctor_means {
    DOCTOR_BY_NOTHING = 0,
    /// Each recording, stepped on this machine with its own header and inputs, gives the hashes
    /// that it holds.
    DOCTOR_BY_FILES,
    /// The recordings of the sides for which `is_rolled` is true give their own hashes on this
    /// machine if their recorded rollbacks are repeated, and other hashes otherwise.
    DOCTOR_BY_ROLLBACKS,
    /// Without a change, this machine gets the hashes of one side. Under the variant `change` it
    /// gets those of side `turns`.
    DOCTOR_BY_CHANGE,
    /// Without a change, this machine gets the hashes of one side. With the bit `bit` of its state
    /// flipped it gets those of side `turns`.
    DOCTOR_BY_BIT,
    /// Each recording, stepped with the same build and inputs by a machine like the one that
    /// recorded it, gives the hashes that it holds.
    DOCTOR_BY_ANSWERS,
    /// With the value set[0], the variant `change` gives the state or the hashes of A; with set[1],
    /// those of B.
    DOCTOR_BY_SETTING,
    /// The step after which the sides differ comes to several results on this machine if its
    /// threads are held up, and to one result if they run one after another.
    DOCTOR_BY_RACE,
} doctor_means;

/// A proof, with all settings that are needed to repeat it.
typedef struct doctor_proof {
    doctor_means means;
    bool is_rolled[2];
    int turns;
    const char *change; ///< name of the variant of `bks check` that makes the change
    const char *value;  ///< value that the variant gets, NULL: none
    bks_tick first;     ///< first tick that is stepped under the change
    uint64_t bit;       ///< index in the state of the bit that flipped
    char set[2][DOCTOR_SET_BYTES];
} doctor_proof;

/// Result of an examination. Texts that are not known are empty.
typedef struct doctor_verdict {
    bool is_same;
    bks_tick tick; ///< first tick whose states or hashes differ, BKS_TICK_NONE: none
    char mark[CHECK_MARK_BYTES];
    /// First value that differs. Its `note` is set only if its name is not known.
    state_difference value;
    char line[128];     ///< source line that wrote the value, such as game.c:27
    char function[96];  ///< function that contains the source line in `line`
    char source[128];   ///< text of the source line in `line`
    char line_why[160]; ///< reason why the source line that wrote the value is not known
    const char *cause;  ///< word for the cause in the JSON, NULL: the sides are the same
    /// Possible causes if no cause is proven, and the changes that suggest them.
    char suspects[768];
    bool is_proven;
    doctor_proof proof;
    const char *next; ///< advice on what to do next
} doctor_verdict;

/// One of the two sides that are compared: a recording, or only the known hashes of a peer.
typedef struct doctor_side {
    replay_file file;    ///< recording of the side; its `replay` is NULL if the side has none
    const char *name;    ///< name of the side, such as A
    uint32_t here_count; ///< number of hashes in `here`
    /// Hashes that this machine computed, from tick `first` of the case on.
    uint64_t here[CHECK_HASHES_MAX];
    bks_tick event_tick; ///< tick of the desync event, BKS_TICK_NONE: no event
    /// Full 64-bit hash of the side's state at `event_tick`, from the desync event.
    uint64_t event_hash;
    uint32_t event_peer;      ///< number of the peer whose state differed in the desync event
    uint64_t event_peer_hash; ///< full hash of that peer's state at `event_tick`
} doctor_side;

/// Maximum number of recordings that vote.
enum { DOCTOR_FILES_MAX = 8 };

/// Result of a vote of more than two recordings.
typedef struct doctor_vote {
    uint32_t count;    ///< number of recordings, 0: no vote, or no hash differs
    bks_tick tick;     ///< first tick at which hashes differ
    bool has_majority; ///< true if more than half of those with a hash of that tick agree
    const char *paths[DOCTOR_FILES_MAX];
    /// By recording: 1 as side A, of the largest group, -1 otherwise, 0 without a hash of the tick.
    int votes[DOCTOR_FILES_MAX];
} doctor_vote;

/// A case of `bks doctor`: sides, evidence and verdict.
typedef struct doctor_case {
    const char *game_name; ///< name of the game as typed, NULL: the recordings name it
    bool is_diff;      ///< true for `bks replay diff`, which finds what differs, but not the cause
    const char *build; ///< file of another build of the game, to try as a change; NULL: none
    const args_list *answers; ///< answer files of other machines, NULL: none
    check_options options;    ///< options for the processes that step the game
    doctor_side sides[2];
    bool has_two;     ///< true if both sides have a recording
    doctor_vote vote; ///< vote by which the recordings were chosen
    loaded_game game;
    state_names names;
    replay_diff diff;   ///< comparison of the two recordings
    bks_tick hash_tick; ///< first tick whose hashes differ, BKS_TICK_NONE: none
    bks_tick first;     ///< first tick whose hashes are compared
    bks_tick until;     ///< last tick whose hashes are compared
    /// First tick whose state a play (doctor_play.h) stores, BKS_TICK_NONE: none.
    bks_tick keep_from;
    const char *sensitive_to; ///< name of the first change that made any difference, NULL: none
    /// By side: true if a machine like the side's own stepped the side's recording, but got the
    /// hashes of the other side.
    bool is_not_repeated[2];
    /// By side: true if a machine, such as one that answered, stepped the side's recording by the
    /// side's build and got its hashes.
    bool is_repeated[2];
    /// By side: true if such a machine answered that enough processes came to the side's hashes.
    bool is_certain[2];
    /// By side: true if a machine like its own answered, or this machine comes to its hashes with
    /// recorded rollbacks.
    bool is_settled[2];
    bool has_here[2];  ///< by side: true if this machine gives the side's hashes without a change
    bool lacks_locale; ///< true if this machine has not the locale of a side's machine
    /// True if the variant `drawn` called each function of the plug-in that gets the state between
    /// steps.
    bool is_drawn;
    bool is_unstepped;   ///< true if a process that stepped side A's recording crashed or hung
    bool has_crashed;    ///< true if it crashed
    bool varies_plainly; ///< true if the variant `baseline` differed
    bool varies;         ///< true if two plain processes of this machine came to different hashes
    /// True if a change of another cause than the environment made any difference.
    bool has_other_suspects;
    uint32_t evidence_count;
    doctor_evidence evidence[DOCTOR_EVIDENCE_MAX];
    doctor_verdict verdict;
    /// Text of where a value comes from that was never written, "": unknown.
    char unset_origin[256];
    char advice[640]; ///< memory for the advice `verdict.next`, if its text is made for this case
    char advice_open[1800];               ///< advice on how to find the cause if none is proven
    char shortened[2][DOCTOR_PATH_BYTES]; ///< paths of the shortened recordings A.bks and B.bks
    bks_tick shortened_first;       ///< first tick of the shortened recordings, BKS_TICK_NONE: none
    char c_test[DOCTOR_PATH_BYTES]; ///< path of the C test, "": none
} doctor_case;

/// Agreement of hashes that this machine computed with the hashes of both sides.
typedef struct doctor_match {
    bool is_same[2]; ///< by side: true if all hashes up to and including hash_tick agree
    /// By side: number of hash bits that agree from hash_tick on, summed over the ticks at which
    /// the hashes of A and B differ.
    uint32_t bits[2];
    bks_tick wrong; ///< first tick at which the hashes agree with no side, BKS_TICK_NONE: none
} doctor_match;

/// Add a piece of evidence: a step of the examination and its result.
void doctor_note(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// Mark the newest piece of evidence as a detail that is printed only in JSON.
void doctor_note_detail(doctor_case *c);

/// Mark a piece of evidence as the proof, which is always printed, and move it towards the
/// beginning.
/// @param index  index of the evidence
/// @param to     new index of the evidence, at most `index`
void doctor_note_proof(doctor_case *c, uint32_t index, uint32_t to);

/// Add a result of --shorten to the evidence, where it is always printed.
void doctor_note_shortening(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// Get a side's hash at a tick. A recording may hold only the lowest bits of it.
/// @param number  number of the side, 0 or 1
/// @return number of lowest bits that are known, 0 to 64
uint32_t doctor_hash_of(const doctor_case *c, int number, bks_tick tick, uint64_t *out);

/// Return true if the lowest bits of two hashes are the same.
/// @param bits  number of bits to compare, 0 to 64; 0 always agrees
bool doctor_hashes_agree(uint64_t a, uint64_t b, uint32_t bits);

/// Compare hashes computed on this machine with those of both sides.
/// @param first   tick of the first hash
/// @param hashes  hashes of `count` ticks
doctor_match doctor_compare(const doctor_case *c, bks_tick first, const uint64_t *hashes,
                            uint32_t count);

/// Return "the hash of A", "the hash of B" or "a third result". The text is valid until the next
/// call.
const char *doctor_match_text(const doctor_case *c, const doctor_match *match);

/// Open the recordings and set the options for the processes that step the game; errors go to
/// stderr.
/// @param game  name of the game as typed, NULL: the game that the recording names
/// @param a, b  paths of recordings; b may be NULL
/// @return TOOL_OK, or TOOL_DAMAGED if a recording cannot be read or, unless c->is_diff, is damaged
int doctor_open(doctor_case *c, const char *game, const char *a, const char *b);

/// Return the name of the game as typed, or else the name in the recordings.
const char *doctor_game_name(const doctor_case *c);

/// Load the game and check that it is the game of the recordings; errors go to stderr.
/// @return TOOL_OK; TOOL_MISUSE or TOOL_DAMAGED, where c->game.game is NULL if none was loaded
int doctor_open_game(doctor_case *c);

/// Step the recording of side A in this process, and compare the hashes with the recorded ones. Set
/// c->hash_tick to the first tick that differs, and the compared ticks around it. Errors go to
/// stderr.
/// @return TOOL_OK, whether or not a hash differs; TOOL_MISUSE or TOOL_DAMAGED on failure
int doctor_open_here(doctor_case *c, bks_verify_result *out);

/// Take the peer that the first desync event of a side names for the other side, with its hash.
void doctor_open_event(doctor_case *c, int side);

/// Set the first tick whose hashes differ, and the compared ticks around it.
void doctor_open_look(doctor_case *c, bks_tick hash_tick);

/// Close the recordings that are open.
void doctor_close(doctor_case *c);

#endif
