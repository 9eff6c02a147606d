// SPDX-License-Identifier: MIT

/// @file check_tape.h
/// One tick of the baseline, in memory that two processes share: the inputs, and the state at every
/// mark. The baseline writes it, the variant compares itself with it and writes what it found.

#ifndef BKS_TOOL_CHECK_TAPE_H
#define BKS_TOOL_CHECK_TAPE_H

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "map/code_line.h"

enum { CHECK_MARKS_MAX = 4096, CHECK_MARK_BYTES = 64 };

/// Bytes of all states that one tick may leave.
#define CHECK_STATES_BYTES (UINT64_C(1) << 32)

/// Names of the points of a tick that are no marks of the game.
#define CHECK_MARK_START "(start)"
#define CHECK_MARK_END   "(end)"

/// Whether a variant came to the same.
typedef enum check_same {
    CHECK_NOT_EXERCISED = 0, ///< nothing was perturbed
    CHECK_SAME = 1,
    CHECK_DIFFERS = 2,
} check_same;

/// The first difference. Texts are empty where they are not known.
typedef struct check_finding {
    bks_tick tick;
    char mark[CHECK_MARK_BYTES];
    char object[112];
    char field[160];
    char a[160]; ///< of the baseline
    char b[160]; ///< of the variant
    char note[256];
    uint32_t mark_index; ///< of the tape
    uint64_t offset;     ///< of the first bytes that differ, from the state's start
    uint32_t bytes;      ///< how many: 1, 2, 4 or 8; 0: they are at no address
    bool has_crashed;    ///< the variant's step
    bool is_pointer;     ///< the field holds an address
    bool is_input;       ///< the step wrote what it was handed; `offset` is from the inputs' start
    bool is_of_baseline; ///< its step crashes or hangs, so that there is nothing to compare with
    bool uses_freed;     ///< the step used memory that it freed, or that is none of its own
    code_line written_a; ///< where the baseline wrote it
    code_line written_b; ///< where the variant did, crashed or hangs
} check_finding;

/// What came of a variant.
typedef struct check_result {
    check_same same;
    uint64_t perturbed; ///< how often something really was
    bks_tick ticks;     ///< compared
    char why[256];      ///< not exercised: why; else what ended the run early, or empty
    char info[128];     ///< what it came to know besides, or empty
    bool has_pointers;  ///< see stepper_has_pointers()
    check_finding found;
} check_result;

/// The state at one mark.
typedef struct check_mark {
    char name[CHECK_MARK_BYTES];
    uint64_t hash;        ///< of a game with a hash of its own
    uint64_t begin_bytes; ///< in check_tape_states()
    uint64_t count;       ///< 0: there are none
} check_mark;

/// Addresses of the baseline, by which a variant knows that its own are others.
typedef struct check_addresses {
    uint64_t state;
    uint64_t code;
    uint64_t heap;
    uint64_t inputs; ///< that a step is handed
} check_addresses;

/// Functions of the C library that it has in several forms, see check_mathematics.h.
enum { CHECK_MATHEMATICS = 219 };

/// What a second run looks at, to name a line.
typedef struct check_request {
    bool is_wanted;
    bks_tick tick;
    uint32_t mark_index; ///< before which it was written
    uint64_t offset;     ///< of the bytes, from the state's start
    bool is_input;       ///< from that of the inputs
    bool is_of_baseline; ///< which crashes by itself
    uint32_t bytes;      ///< 0: a crash
} check_request;

/// Most hashes of a span.
enum { CHECK_HASHES_MAX = 2048 };

/// States of a span that may be kept of each process, and the most bytes of one.
enum { CHECK_KEPT_MAX = 9, CHECK_KEPT_BYTES = 1 << 24 };

/// Ticks that are stepped to their end, whatever differs, with the hashes that both sides come to.
typedef struct check_span {
    bool is_wanted; ///< false: all ticks of the options, up to the first difference
    bks_tick first;
    bks_tick until;       ///< one past the last tick
    uint64_t state_bytes; ///< of the state at `first`, in check_tape_states(); 0: `init` makes it
    bool keeps;           ///< the states of CHECK_KEPT_MAX ticks from `keep_from` on
    bks_tick keep_from;
    uint64_t kept[2][CHECK_KEPT_MAX];     ///< bytes of each, 0: it is not there
    uint32_t counts[2];                   ///< of the hashes of the baseline and of the variant
    uint64_t hashes[2][CHECK_HASHES_MAX]; ///< of the states at the starts of `first` and so on
} check_span;

/// The shared memory.
typedef struct check_tape {
    check_plan plan; ///< what is stepped
    check_result result;
    check_span span;
    check_addresses addresses;
    check_request request;
    uint64_t variant_state; ///< address of the state in the process that varies
    uint64_t variant_code;  ///< of its plug-in
    uint64_t variant_inputs;
    uint32_t section;       ///< stretches between marks that it has begun, blind steps too
    uint32_t found_section; ///< in which it found the difference
    bool is_in_game;        ///< what it writes now counts: it compares nothing
    bool is_finished;       ///< the baseline came to the end of its run
    bool is_baseline_ready; ///< it stands before the tick of the request
    bool is_baseline_free;  ///< and may continue
    bool pauses_baseline;   ///< it is watched, and raises SIGSTOP when its step is done
    bool pauses_variant;    ///< the same of the other
    code_line written_a;
    code_line written_b;
    code_line crashed;         ///< of the baseline
    uint32_t stretch;          ///< of the baseline's work, 0: it waits for the other process
    uint64_t baseline_most_ns; ///< processor time of its longest tick
    uint64_t mathematics[CHECK_MATHEMATICS]; ///< which form of each the baseline calls
    bks_tick tick;                           ///< being stepped
    bool is_in_variant;                      ///< by the variant
    bool is_in_other;               ///< which is at work on another match than the one compared
    char reached[CHECK_MARK_BYTES]; ///< last mark in it
    char failed[160];               ///< the step failed, and why; empty: it did not
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    bool has_start; ///< the first mark is the state before the step
    uint32_t mark_count;
    check_mark marks[CHECK_MARKS_MAX];
    uint64_t states_count; ///< bytes in use of check_tape_states()
    uint64_t states_ready; ///< that have memory behind them
} check_tape;

/// Make a tape; other processes inherit its memory.
/// @param out_number  receives the number of that, see shared_memory.h
/// @return the tape, NULL when there is no memory
check_tape *check_tape_make(int *out_number);

/// Take up a tape that was inherited.
/// @return the tape, NULL when the number is none
check_tape *check_tape_open(int number);

/// Take up as much of an inherited tape as is in use, for a process under valgrind: there the whole
/// of it takes seconds.
/// @param tape          what an earlier call returned, NULL at first; it may be elsewhere
/// afterwards
/// @param mapped_bytes  how much there is of it
/// @return the tape, NULL when the number is none or there is no memory
check_tape *check_tape_follow(check_tape *tape, int number, size_t *mapped_bytes);

/// Close what check_tape_make() or check_tape_open() returned.
void check_tape_close(check_tape *tape);

/// Note the next hash of one process of a span, and the state if it is to be kept. Without effect
/// where no span is wanted.
/// @param process  0: the baseline, 1: the variant
void check_tape_hash(check_tape *tape, uint32_t process, bks_runner *runner);

/// Where a span keeps the state at the start of a tick; span.kept says how many bytes it has.
/// @param process  0: the baseline, 1: the variant
/// @return room of CHECK_KEPT_BYTES, NULL: that tick's is not kept
uint8_t *check_tape_kept(check_tape *tape, uint32_t process, bks_tick tick);

/// Addresses for the states' bytes, CHECK_STATES_BYTES of them.
uint8_t *check_tape_states(check_tape *tape);

/// See to memory behind the first of them, before they are written.
/// @return false: there is none, or there are too few addresses
bool check_tape_room(check_tape *tape, uint64_t bytes);

/// Begin a tick: forget the marks.
void check_tape_begin(check_tape *tape, bks_tick tick);

/// Add a mark whose state's bytes were written behind those in use.
/// @return false when there are too many
bool check_tape_add(check_tape *tape, const char *name, uint64_t hash, uint64_t count);

#endif
