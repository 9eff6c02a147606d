// SPDX-License-Identifier: MIT

/// @file check_tape.h
/// Shared memory of the command, the baseline and the variant. The baseline writes the inputs of
/// one tick and its state at every mark. The variant compares its own states with them and writes
/// the result.

#ifndef BKS_TOOL_CHECK_TAPE_H
#define BKS_TOOL_CHECK_TAPE_H

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "map/code_line.h"

enum { CHECK_MARKS_MAX = 4096, CHECK_MARK_BYTES = 64 };

/// Limit for the states of one tick, in bytes.
#define CHECK_STATES_BYTES (UINT64_C(1) << 32)

/// Names of the points before and after a step, in place of marks of the game.
#define CHECK_MARK_START "(start)"
#define CHECK_MARK_END   "(end)"

/// Outcome of a variant.
typedef enum check_same {
    CHECK_NOT_EXERCISED = 0, ///< nothing was perturbed
    CHECK_SAME = 1,
    CHECK_DIFFERS = 2,
} check_same;

/// First difference of a variant. Texts are empty where they are not known.
typedef struct check_finding {
    bks_tick tick;
    char mark[CHECK_MARK_BYTES];
    char object[112];
    char field[160];
    char a[160]; ///< value of the baseline
    char b[160]; ///< value of the variant
    char note[256];
    uint32_t mark_index; ///< index of the mark on the tape
    uint64_t offset;     ///< offset of the bytes that differ in the state or the inputs
    uint32_t bytes;      ///< count of bytes that differ: 1, 2, 4 or 8; 0: they have no address
    bool has_crashed;    ///< the step crashed
    bool is_pointer;     ///< the field holds an address
    bool is_input;       ///< the step wrote its inputs
    bool is_of_baseline; ///< the baseline crashes or hangs, so there is nothing to compare with
    bool uses_freed;     ///< the step used freed memory, or memory that it does not own
    code_line written_a; ///< line at which the baseline wrote the bytes
    code_line written_b; ///< line at which the variant wrote them, crashed or hangs
} check_finding;

/// Result of a variant.
typedef struct check_result {
    check_same same;
    uint64_t perturbed; ///< times that something was perturbed
    bks_tick ticks;     ///< ticks compared
    char why[256];      ///< why nothing was exercised, or what ended the run early; or empty
    char info[128];     ///< remark for the report, or empty
    bool has_pointers;  ///< see stepper_has_pointers()
    check_finding found;
} check_result;

/// State at one mark.
typedef struct check_mark {
    char name[CHECK_MARK_BYTES];
    uint64_t hash;        ///< hash of the state by the game's own hash function, if it has one
    uint64_t begin_bytes; ///< offset of the state's bytes in check_tape_states()
    uint64_t count;       ///< number of the state's bytes, 0: none
} check_mark;

/// Addresses in a process.
typedef struct check_addresses {
    uint64_t state;
    uint64_t code;
    uint64_t inputs; ///< address of the inputs of a step
} check_addresses;

/// Number of mathematical functions in check_imports.h.
enum { CHECK_MATHEMATICS = 219 };

/// Bytes that a second run watches to name a line.
typedef struct check_request {
    bool is_wanted;
    bks_tick tick;
    uint32_t mark_index; ///< mark before which they were written
    uint64_t offset;     ///< offset of the bytes in the state or the inputs
    bool is_input;       ///< they are of the inputs
    bool is_of_baseline; ///< the baseline crashes by itself
    uint32_t bytes;      ///< count of the bytes; 0: the step crashes
} check_request;

/// Limit for the hashes of a span.
enum { CHECK_HASHES_MAX = 2048 };

/// Limits for the states that a span keeps of each process, and for the bytes of one.
enum { CHECK_KEPT_MAX = 9, CHECK_KEPT_BYTES = 1 << 24 };

/// Ticks that `bks doctor` has stepped to the end even if something differs, with the hashes of
/// both processes.
typedef struct check_span {
    bool is_wanted; ///< false: step the ticks of the plan up to the first difference
    bks_tick first;
    bks_tick until;       ///< one past the last tick
    uint64_t state_bytes; ///< size of the state at `first` on the tape, 0: `init` makes it
    bool keeps;           ///< keep the states of CHECK_KEPT_MAX ticks from `keep_from` on
    bks_tick keep_from;
    uint64_t kept[2][CHECK_KEPT_MAX];     ///< bytes of each kept state, 0: not there
    uint32_t counts[2];                   ///< hashes of the baseline and of the variant
    uint64_t hashes[2][CHECK_HASHES_MAX]; ///< hashes of the states from the start of `first` on
} check_span;

/// Layout of the shared memory.
typedef struct check_tape {
    check_plan plan; ///< options of the command
    check_result result;
    check_span span;
    check_request request;
    check_addresses baseline;
    check_addresses variant;
    uint32_t section;       ///< number of the variant's present stretch between marks
    uint32_t found_section; ///< section in which the difference was found
    bool is_in_game;        ///< the variant runs the game now, not the comparison
    bool is_finished;       ///< the baseline reached the end of its run
    bool is_baseline_ready; ///< the baseline waits before the tick of the request
    bool is_baseline_free;  ///< the baseline may continue
    bool pauses_baseline;   ///< the baseline is watched and raises SIGSTOP after the step
    bool pauses_variant;    ///< the variant is watched and raises SIGSTOP after the step
    code_line written_a;
    code_line written_b;
    code_line crashed; ///< line at which the baseline crashed
    uint32_t stretch;  ///< number of the baseline's stretch of work, 0: it waits for the variant
    uint64_t baseline_most_ns;               ///< processor time of the baseline's longest tick
    uint64_t mathematics[CHECK_MATHEMATICS]; ///< forms of the functions in the baseline
    bks_tick tick;                           ///< tick that is stepped
    bool is_in_variant;                      ///< the variant steps the tick now
    bool is_in_other;               ///< the variant steps another match than the one compared
    char reached[CHECK_MARK_BYTES]; ///< last mark of the tick
    char failed[160];               ///< why the step failed, empty if it did not
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    bool has_start; ///< the first mark is the state before the step
    uint32_t mark_count;
    check_mark marks[CHECK_MARKS_MAX];
    uint64_t states_count; ///< bytes in use of check_tape_states()
    uint64_t states_ready; ///< bytes that have memory
} check_tape;

/// Make a tape; other processes inherit its memory.
/// @param out_number  receives the number of the memory, see process.h
/// @return the tape, NULL when there is no memory
check_tape *check_tape_make(int *out_number);

/// Map an inherited tape.
/// @return the tape, NULL if the number is not valid
check_tape *check_tape_open(int number);

/// Map only the part of an inherited tape that is in use. For a process under valgrind, because
/// valgrind needs seconds to map a whole tape.
/// @param tape          result of an earlier call, not valid any more; NULL at first
/// @param mapped_bytes  receives how much is mapped
/// @return the tape, NULL if the number is not valid or there is no memory
check_tape *check_tape_follow(check_tape *tape, int number, size_t *mapped_bytes);

/// Unmap a tape of check_tape_make() or check_tape_open().
void check_tape_close(check_tape *tape);

/// Note the next hash of a process in the span, and the state if it is to be kept. No effect
/// without a span.
/// @param process  0: the baseline, 1: the variant
void check_tape_hash(check_tape *tape, uint32_t process, bks_runner *runner);

/// Return where a span keeps the state at the start of a tick; span.kept has its size.
/// @param process  0: the baseline, 1: the variant
/// @return CHECK_KEPT_BYTES bytes, NULL if the state of that tick is not kept
uint8_t *check_tape_kept(check_tape *tape, uint32_t process, bks_tick tick);

/// Return the room for states, CHECK_STATES_BYTES of addresses.
uint8_t *check_tape_states(check_tape *tape);

/// Get memory for the first bytes of the states before they are written.
/// @return false: there is no memory, or there are too many bytes
bool check_tape_room(check_tape *tape, uint64_t bytes);

/// Begin a tick without marks.
void check_tape_begin(check_tape *tape, bks_tick tick);

/// Add a mark whose state was written behind the states in use.
/// @return false: there are too many marks
bool check_tape_add(check_tape *tape, const char *name, uint64_t hash, uint64_t count);

#endif
