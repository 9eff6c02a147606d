// SPDX-License-Identifier: MIT

/// @file check_tape.h Tape: memory that the command, the baseline and the variant share. The
/// baseline writes the inputs of one tick and its state at every mark. The variant compares its own
/// states with them and writes the result.

#ifndef BKS_TOOL_CHECK_TAPE_H
#define BKS_TOOL_CHECK_TAPE_H

#include <stdatomic.h>

#include "backstitch/toolkit/runner.h"
#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_watch.h"
#include "map/state_names.h"

enum { CHECK_MARKS_MAX = 4096, CHECK_MARK_BYTES = 64 };

/// Maximum size of the states at all marks of one tick, in bytes.
#define CHECK_STATES_BYTES (UINT64_C(1) << 32)

/// Names of the points before and after a step, used like marks of the game.
#define CHECK_MARK_START "(start)"
#define CHECK_MARK_END   "(end)"

/// Name of the place of a write between two steps (between_steps.h), in place of a mark.
#define CHECK_MARK_BETWEEN "(between)"

/// Outcome of running a variant.
typedef enum check_same {
    CHECK_NOT_EXERCISED = 0, ///< the variant perturbed nothing, so it tested nothing
    CHECK_SAME = 1,
    CHECK_DIFFERS = 2,
} check_same;

/// Bytes that a second run watches to find the line that wrote them: the first differing byte of a
/// value with neighbours of its field.
typedef struct check_bytes {
    uint64_t offset; ///< offset in the state or in the inputs
    uint32_t bytes;  ///< number of bytes: 1, 2, 4 or 8; 0: no differing byte was located
} check_bytes;

/// First difference between a variant and its baseline. Texts that are not known are empty. Of
/// several values that differ at the mark, object, field, a, b and the lines are those of the first
/// in the state, by which findings are compared. See check_finding_named() for the one to be shown.
typedef struct check_finding {
    bks_tick tick;
    char mark[CHECK_MARK_BYTES];
    char object[112];
    char field[160];
    char a[160]; ///< value of the differing field in the baseline
    char b[160]; ///< value of the differing field in the variant
    char note[256];
    /// All values that differ, with the one that was written differently first as the first.
    state_difference values;
    uint32_t mark_index; ///< index of the mark `mark` among the marks on the tape
    /// Bytes to watch, of the first value that differs and of others, in the order of `values`.
    check_bytes watched[CHECK_WATCHED_MAX];
    /// Index in `watched` of the value that was written differently first, 0 also if not known.
    uint32_t origin;
    bool has_crashed; ///< true if the step crashed
    bool is_pointer;  ///< true if the field holds an address
    bool is_input;    ///< true if the step wrote its inputs
    /// True if the baseline itself crashes or hangs, so nothing can be compared.
    bool is_of_baseline;
    bool is_at_start; ///< true if the baseline crashes before the first tick, in init for one
    bool is_of_fewer; ///< true if a match beside the checked one, with fewer players, ended it
    bool uses_freed;  ///< true if the step used memory that the game has freed or never allocated
    code_line written_a; ///< source line at which the baseline wrote the bytes
    code_line written_b; ///< source line at which the variant wrote the bytes, crashed or hangs
    /// If `origin` is not 0: line at which the baseline wrote the value that `origin` numbers.
    code_line origin_a;
    code_line origin_b; ///< the same of the variant
} check_finding;

/// Value to show of a finding.
typedef struct check_named {
    const char *object;
    const char *field;
    const char *a;
    const char *b;
    const code_line *written_a;
    const code_line *written_b;
} check_named;

/// Return the first value in the state of those that differ.
static inline check_named check_finding_first(const check_finding *found)
{
    return (check_named){found->object, found->field,      found->a,
                         found->b,      &found->written_a, &found->written_b};
}

/// Return the value of a finding that was written differently first, as far as that is known.
static inline check_named check_finding_named(const check_finding *found)
{
    const state_difference *values = &found->values;
    return found->origin == 0
               ? check_finding_first(found)
               : (check_named){values->place.object, values->place.field, values->a, values->b,
                               &found->origin_a,     &found->origin_b};
}

/// Result of running a variant.
typedef struct check_result {
    check_same same;
    uint64_t perturbed; ///< number of times that something was perturbed
    bks_tick ticks;     ///< number of ticks in which variant and baseline were compared
    char why[256];      ///< reason why nothing was perturbed or the run ended early; may be empty
    char info[128];     ///< remark on the run, for the output; may be empty
    bool has_pointers;  ///< true if stepper_has_pointers() is true for the state
    check_finding found;
} check_result;

/// State at one mark, on the tape.
typedef struct check_mark {
    char name[CHECK_MARK_BYTES];
    /// Hash of the state by the game's own hash function; 0: the game has no such function.
    uint64_t hash;
    uint64_t begin_bytes; ///< offset of the state's bytes in check_tape_states()
    uint64_t count;       ///< size of the state in bytes, 0: not stored
} check_mark;

/// Addresses of a game in its process.
typedef struct check_addresses {
    uint64_t state;
    uint64_t code;
    uint64_t inputs; ///< address of the inputs of a step
    uint64_t gate;   ///< result of watch_page_gate() in that process
} check_addresses;

/// Number of mathematical functions in check_imports.h.
enum { CHECK_MATHEMATICS = 219 };

/// Most names of check_imports_names().
enum { CHECK_IMPORTS_MAX = 512 };

/// Bytes of the state or the inputs that a second run watches to find the source line that writes
/// them.
typedef struct check_request {
    bool is_wanted;
    bks_tick tick;
    uint32_t mark_index; ///< index of the first mark after the bytes were written
    bool is_input;       ///< true if the bytes belong to the inputs
    bool is_of_baseline; ///< true if the baseline itself crashes or hangs
    bool is_at_start;    ///< true if it crashes before the first tick
    /// Bytes to watch. If the first are none, watch for a crash of the step.
    check_bytes watched[CHECK_WATCHED_MAX];
    check_watch_way way; ///< how this machine can watch bytes
} check_request;

/// Maximum number of hashes of each process in a check_span.
enum { CHECK_HASHES_MAX = 2048 };

/// CHECK_KEPT_MAX: number of states that a check_span stores of each process. CHECK_KEPT_BYTES:
/// most bytes of each of these states.
enum { CHECK_KEPT_MAX = 9, CHECK_KEPT_BYTES = 1 << 24 };

/// Ticks that both processes step to the end, even if something differs, and the hashes of both.
typedef struct check_span {
    /// True: step this span; false: step the plan's ticks up to the first difference.
    bool is_wanted;
    bks_tick first;
    bks_tick until; ///< one past the last tick to step
    /// Size of the state at tick `first`, which is on the tape. 0: `init` makes the state.
    uint64_t state_bytes;
    bool keeps; ///< true: store the states of CHECK_KEPT_MAX ticks from `keep_from` on
    bks_tick keep_from;
    /// By process and tick: size of each stored state in bytes, 0: not stored.
    uint64_t kept[2][CHECK_KEPT_MAX];
    uint64_t newest[2]; ///< newest hash of the baseline and of the variant
    uint32_t counts[2]; ///< number of stored hashes of the baseline and of the variant
    /// By process: hashes of the states at the start of each tick, from `first` on.
    uint64_t hashes[2][CHECK_HASHES_MAX];
} check_span;

/// Most calls whose lines are noted.
enum { CHECK_CALLS_MAX = 8 };

/// Call of an import in a step, with its line.
typedef struct check_call {
    char function[32]; ///< name of the import
    code_line at;
} check_call;

/// First part of a tape, in shared memory. The states at marks follow it.
typedef struct check_tape {
    check_plan plan; ///< options that the command gives its processes
    check_result result;
    check_span span;
    bks_verify_result verified; ///< result of a play of `bks doctor` that compares all hashes
    check_request request;
    check_addresses baseline;
    check_addresses variant;
    /// Number of the section that the variant runs now, such as from one mark to the next.
    uint32_t section;
    uint32_t found_section; ///< number of the section in which the difference was found
    bool is_in_game;        ///< true while the variant runs the game, false while it compares
    bool compares;          ///< true while the variant makes a step that is compared with the tape
    bool is_finished;       ///< true once the baseline has reached the end of its run
    /// True while the baseline waits before the tick of `request`, or before it makes a state.
    _Atomic bool is_baseline_ready;
    _Atomic bool is_baseline_free; ///< true once the baseline may step the tick of `request`
    /// True if the baseline is watched, and so raises SIGSTOP after the step.
    bool pauses_baseline;
    /// True if the variant is watched, and so raises SIGSTOP after the step.
    bool pauses_variant;
    /// Watched values around the section in which the difference was found, in each process.
    watched_marks around_a;
    watched_marks around_b;
    /// Source lines at which the baseline last wrote each watched value, and all of its writes.
    code_line written_a[CHECK_WATCHED_MAX];
    check_writes writes_a;
    code_line written_b;
    uint32_t origin;    ///< index of the value that was written differently first
    code_line origin_b; ///< if `origin` is not 0, source line at which the variant last wrote it
    code_line crashed;  ///< source line at which the baseline crashed
    /// Number of the baseline's current stretch of work. 0: the baseline waits for the variant.
    uint32_t stretch;
    uint32_t threads; ///< number of threads that the game has made in the baseline's process
    /// Processor time of the baseline's longest tick.
    uint64_t baseline_most_ns;
    /// Forms of the mathematical functions that the C library chose in the baseline's process.
    uint64_t mathematics[CHECK_MATHEMATICS];
    /// True if the variant's process has noted which imports the steps call.
    bool is_traced;
    bool calls_before[CHECK_IMPORTS_MAX]; ///< the same of what was called before the first step
    bool calls[CHECK_IMPORTS_MAX]; ///< by index of check_imports_names(): true if it was called
    uint32_t call_count;
    check_call called[CHECK_CALLS_MAX]; ///< the first calls of as many imports
    bks_tick tick;                      ///< tick that both processes step now
    bool is_in_variant;                 ///< true while the variant steps the tick
    /// True while the variant steps another match beside the compared one.
    bool is_in_other;
    uint32_t other_players; ///< number of players of the newest match beside the checked one
    char reached[CHECK_MARK_BYTES]; ///< last mark that the variant reached in the tick
    /// Reason why the game failed in the baseline's step, empty if it did not fail.
    char failed[160];
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    uint64_t commands_begin; ///< offset of the commands' bytes in check_tape_states()
    /// By player: size of the commands of the tick, one player's after another's.
    uint32_t command_bytes[BKS_PLAYERS_MAX];
    bool has_start; ///< true if the first mark holds the state before the step
    uint32_t mark_count;
    check_mark marks[CHECK_MARKS_MAX];
    uint64_t states_count; ///< bytes of check_tape_states() in use
    uint64_t states_ready; ///< bytes of check_tape_states() that have memory
} check_tape;

/// Make a tape. Processes that are started later inherit its memory.
/// @param out_number  receives the number of the shared memory, see process.h
/// @return the tape, NULL if there is no memory
check_tape *check_tape_make(int *out_number);

/// Map a tape that this process has inherited.
/// @return the tape, NULL if `number` is not valid
check_tape *check_tape_open(int number);

/// Map only the part in use of a tape that this process has inherited. Use this under valgrind,
/// which needs seconds to map a whole tape.
/// @param tape          result of the last call, which becomes invalid; NULL at first
/// @param mapped_bytes  receives the size of the mapped part
/// @return the tape, NULL if `number` is not valid or there is no memory
check_tape *check_tape_follow(check_tape *tape, int number, size_t *mapped_bytes);

/// Unmap a tape of check_tape_make() or check_tape_open().
void check_tape_close(check_tape *tape);

/// Append the hash of a process's state to the tape's check_span, and store the state if the span
/// asks for it. No effect if the tape has no span.
/// @param process  0: the baseline, 1: the variant
void check_tape_hash(check_tape *tape, uint32_t process, bks_runner *runner);

/// Return the memory on the tape in which a span stores the state at the start of a tick. span.kept
/// has the state's size.
/// @param process  0: the baseline, 1: the variant
/// @return CHECK_KEPT_BYTES bytes, NULL if the state of that tick is not stored
uint8_t *check_tape_kept(check_tape *tape, uint32_t process, bks_tick tick);

/// Return the address range for the states at marks, CHECK_STATES_BYTES long. See
/// check_tape_room().
uint8_t *check_tape_states(check_tape *tape);

/// Get memory for the first `bytes` of check_tape_states(). Call it before writing them.
/// @return false if there is no memory, or `bytes` is too large
bool check_tape_room(check_tape *tape, uint64_t bytes);

/// Begin a tick on the tape, without any marks and commands yet.
void check_tape_begin(check_tape *tape, bks_tick tick);

/// Add a mark to the tape. The caller has already written the state at the mark to
/// check_tape_states(), directly after the bytes in use.
/// @return false if there are too many marks
bool check_tape_add(check_tape *tape, const char *name, uint64_t hash, uint64_t count);

/// Put the commands of the tick onto the tape, behind the states there so far.
/// @param commands  commands by player
/// @return false if there is no memory
bool check_tape_put_commands(check_tape *tape, const bks_commands *commands);

/// Get the commands of the tick, which lie on the tape.
void check_tape_commands(check_tape *tape, bks_commands out[BKS_PLAYERS_MAX]);

#endif
