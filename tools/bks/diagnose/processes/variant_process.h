// SPDX-License-Identifier: MIT

/// @file variant_process.h
/// The process of a variant: it steps the baseline's inputs, compares its state with the baseline's
/// on the tape after every mark, and writes the first difference onto the tape.

#ifndef BKS_TOOL_VARIANT_PROCESS_H
#define BKS_TOOL_VARIANT_PROCESS_H

#include "backstitch/toolkit/state_map.h"
#include "diagnose/processes/check_task.h"
#include "diagnose/processes/stepper.h"

typedef struct variant_process variant_process;

/// Room for variants.
enum { CHECK_VARIANTS_MAX = 32 };

/// Value that a variant takes behind its name.
typedef enum check_takes {
    CHECK_TAKES_NOTHING = 0,
    CHECK_TAKES_GAME = 1, ///< "=OTHER.so"; without it the variant is not exercised
    CHECK_TAKES_TICK = 2, ///< "=N", or nothing
} check_takes;

/// Description of a variant. Functions other than `step` may be NULL.
typedef struct check_variant {
    const char *name;
    check_takes takes;
    const char *about;           ///< text of the help: what the variant does and finds
    const char *unit;            ///< singular noun for what is counted as perturbed
    const char *perturbed;       ///< end of the phrase "200 ticks ..." in the report
    const char *cause;           ///< class of the faults that it finds
    const char *advice;          ///< where to look for such a fault
    const char *explained_by[2]; ///< variants whose faults show here as well: the first of them
                                 ///< that differs is the cause; NULL: none
    uint32_t process;            ///< how the process is started, bits of check_process
    check_set_kind sets;         ///< what is set to the number behind the name, for `bks doctor`
    bool imports;                ///< the process imports the baseline's state
    bool reloads;                ///< both processes load what they saved, see stepper_reload()
    bool keeps_inputs;           ///< a step must leave its inputs as they were
    bool runs_on;                ///< one process imports once and runs to the end

    void (*before_load)(variant_process *variant);
    /// Called before the state is made.
    void (*after_load)(variant_process *variant);
    /// Return why there is nothing to vary, NULL if there is something.
    const char *(*why_not)(const variant_process *variant);
    /// Step the tick that is on the tape, at least once by variant_step().
    void (*step)(variant_process *variant, bks_tick tick);
    /// Called at a mark in place of comparing the state with the tape's.
    void (*compare)(variant_process *variant, bks_tick tick, const char *mark);
    /// Undo changes in the state before it is compared.
    void (*before_compare)(variant_process *variant);
    /// Change the state again after it was compared.
    void (*after_compare)(variant_process *variant);
} check_variant;

/// Reason why no second copy of a game is stepped beside the first.
#define CHECK_ONE_IN_A_PROCESS "the game cannot be created twice in one process"

/// Ticks whose inputs are kept.
enum { CHECK_HISTORY = 16 };

/// State of the process.
struct variant_process {
    const check_variant *kind;
    check_stepper stepper;
    check_tape *tape;
    size_t mapped_bytes; ///< mapped part of the tape, 0: all of it
    uint8_t *bytes;      ///< the state at a mark
    size_t bytes_capacity;
    bool compares;          ///< the present step is compared with the tape
    uint32_t next_mark;     ///< index of the next mark of the tape to compare
    bool has_unnamed;       ///< hashes differ; the first bytes that differ will name the field
    char folder[4096];      ///< working folder at the start, empty: not known
    uint32_t restored;      ///< items that `before_compare` found changed
    bks_runner *other;      ///< another copy of the game, NULL: none
    bks_tick other_tick;    ///< tick that the other copy steps next
    bks_tick other_ticks;   ///< length of the other match
    uint32_t others;        ///< other matches begun so far
    uint32_t other_players; ///< players of the present other match
    int32_t history[CHECK_HISTORY][BKS_PLAYERS_MAX * BKS_FIELDS_MAX]; ///< inputs by tick
};

/// Step a tick of the tape and compare every mark.
void variant_step(variant_process *variant, bks_tick tick);

/// Step a tick of the tape as variant_step() does, and count it as perturbed.
void variant_step_counted(variant_process *variant, bks_tick tick);

/// Step any tick with any inputs without comparing anything.
/// @param why  receives why the game failed (bks_fail()), "" when it did not
/// @return false: the game failed, and takes no further step until a state is loaded
bool variant_step_blind(variant_process *variant, bks_tick tick, const int32_t *inputs,
                        char why[160]);

/// Return the baseline's inputs of one of the last CHECK_HISTORY ticks.
const int32_t *variant_inputs(const variant_process *variant, bks_tick tick);

/// Return true if a difference was found.
bool variant_has_found(const variant_process *variant);

/// Record a difference, unless one was found before.
/// @param a, text  values of the baseline and of the variant
void variant_find(variant_process *variant, bks_tick tick, const char *mark, const char *a,
                  const char *text);

/// Compare the present state with one of the tape.
/// @param mark  "(start)" or "(end)"
void variant_compare_bytes(variant_process *variant, const char *mark, const uint8_t *expected,
                           size_t count);

/// Run as the variant until the baseline ends.
/// @param variant       what is varied
/// @param task          task of this process, whose pipe carries requests and answers
/// @param mapped_bytes  mapped part of the tape, see check_tape_follow(); 0: all of it
/// @return the exit status
int variant_main(const check_options *options, const check_variant *variant, const check_task *task,
                 check_tape *tape, size_t mapped_bytes);

/// Name the first live value that differs, or else the first byte, with both values.
/// @param found  receives object, field, a, b and note; unchanged if nothing differs
void variant_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                  check_finding *found);

// ---- the other process ----

/// Run as the baseline until the ticks end or something differs; the tape's result says which.
/// @return the exit status
int baseline_main(const check_options *options, const check_variant *kind, const check_task *task,
                  check_tape *tape);

#endif
