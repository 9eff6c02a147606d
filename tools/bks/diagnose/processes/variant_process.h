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

/// Maximum number of variants in the table.
enum { CHECK_VARIANTS_MAX = 32 };

/// Kind of value that a user may give a variant after its name.
typedef enum check_takes {
    CHECK_TAKES_NOTHING = 0,
    /// Another build of the game, as "=OTHER.so". Without a value the variant does nothing.
    CHECK_TAKES_GAME = 1,
    CHECK_TAKES_TICK = 2, ///< a tick, as =N, or no value
} check_takes;

/// Description of a variant. Functions other than `step` may be NULL.
typedef struct check_variant {
    const char *name;
    check_takes takes;
    const char *about; ///< help text: what the variant does, and what it finds
    const char *unit;  ///< singular noun for the items that are counted as perturbed
    /// End of the phrase "200 ticks ..." in the report, such as "drawn".
    const char *perturbed;
    const char *cause;  ///< class of the faults that the variant finds
    const char *advice; ///< advice on where to look for such a fault
    /// Names of variants whose faults this variant shows, too. If one of them also differs from the
    /// baseline, the first such variant has found the cause. NULL: none.
    const char *explained_by[2];
    uint32_t process; ///< how to start the process, bits of check_process
    /// Quantity that is set to the number after the variant's name, for `bks doctor`.
    check_set_kind sets;
    bool imports; ///< true: the process imports the baseline's state
    /// True: both processes load states that they have saved, see stepper_reload().
    bool reloads;
    bool keeps_inputs; ///< true: check that a step leaves its inputs unchanged
    bool runs_on;      ///< true: one process imports the state once and runs to the end

    void (*before_load)(variant_process *variant);
    /// Function called before the state is made.
    void (*after_load)(variant_process *variant);
    /// Return the reason why there is nothing to vary, NULL if there is something.
    const char *(*why_not)(const variant_process *variant);
    /// Step the tick that is on the tape. Call variant_step() at least once for it.
    void (*step)(variant_process *variant, bks_tick tick);
    /// Function that checks the state at a mark in the variant's own way. NULL: compare the state
    /// with the baseline's state on the tape.
    void (*compare)(variant_process *variant, bks_tick tick, const char *mark);
    /// Undo the variant's changes in the state before the state is compared.
    void (*before_compare)(variant_process *variant);
    /// Make the changes again that before_compare() has undone, after the state was compared.
    void (*after_compare)(variant_process *variant);
} check_variant;

/// Reason why no second copy of a game is stepped beside the first.
#define CHECK_ONE_IN_A_PROCESS "the game cannot be created twice in one process"

/// Number of newest ticks whose inputs and commands are stored.
enum { CHECK_HISTORY = 16 };

/// Data of the process that runs a variant.
struct variant_process {
    const check_variant *kind;
    check_stepper stepper;
    check_tape *tape;
    size_t mapped_bytes; ///< size of the mapped part of the tape, 0: the whole tape
    uint8_t *bytes;      ///< bytes of the state at the current mark
    size_t bytes_capacity;
    uint32_t next_mark; ///< index of the tape's mark to compare next
    /// True if hashes differ, but not yet any bytes of the state, by which the field could be
    /// named.
    bool has_unnamed;
    char folder[4096];      ///< working folder at the start, empty if not known
    uint32_t restored;      ///< number of items that `before_compare` had to undo
    bks_runner *other;      ///< runner of a second match beside the checked one; NULL: none
    bks_tick other_tick;    ///< next tick of the second match
    bks_tick other_ticks;   ///< length of the second match in ticks
    uint32_t others;        ///< number of matches begun so far beside the checked one
    uint32_t other_players; ///< number of players of the second match
    /// Inputs of the last CHECK_HISTORY ticks, by tick modulo CHECK_HISTORY.
    int32_t history[CHECK_HISTORY][BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
};

/// Step the tick that is on the tape, and compare the state at every mark.
void variant_step(variant_process *variant, bks_tick tick);

/// Step the tick that is on the tape as variant_step() does, and count the tick as perturbed.
void variant_step_counted(variant_process *variant, bks_tick tick);

/// Step any tick with any inputs, without comparing anything. The tick has the baseline's commands,
/// and none if it is later than the one on the tape, as ticks of which nothing is known have none.
/// @param why  receives the reason if the game failed (bks_fail()), else ""
/// @return false if the game failed; it then refuses to step until a state is loaded
bool variant_step_blind(variant_process *variant, bks_tick tick, const int32_t *inputs,
                        char why[160]);

/// Return the baseline's inputs of a tick, which must be one of the last CHECK_HISTORY ticks.
const int32_t *variant_inputs(const variant_process *variant, bks_tick tick);

/// Return the baseline's commands of a tick by player, as variant_inputs().
const bks_commands *variant_commands(bks_tick tick);

/// Return true if a difference from the baseline was found.
bool variant_has_found(const variant_process *variant);

/// Record a difference, unless one was found before.
/// @param a, text  values in the baseline and in the variant
void variant_find(variant_process *variant, bks_tick tick, const char *mark, const char *a,
                  const char *text);

/// Compare the current state with a state from the tape.
/// @param mark  name of the point in the tick, "(start)" or "(end)"
void variant_compare_bytes(variant_process *variant, const char *mark, const uint8_t *expected,
                           size_t count);

/// Run as the process of a variant until the baseline ends.
/// @param variant       the variant to run
/// @param task          task of this process; its pipe carries requests and answers
/// @param mapped_bytes  size of the tape's mapped part, see check_tape_follow(); 0: the whole tape
/// @return the exit status
int variant_main(const check_options *options, const check_variant *variant, const check_task *task,
                 check_tape *tape, size_t mapped_bytes);

/// Name the first value in use that differs, or else the first byte that differs, with its value in
/// both states.
/// @param found  receives object, field, a, b and note; unchanged if nothing differs
void variant_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                  check_finding *found);

// ---- the baseline's process ----

/// Run as the process of a baseline until the ticks end or something differs. The tape's result
/// says which.
/// @return the exit status
int baseline_main(const check_options *options, const check_variant *kind, const check_task *task,
                  check_tape *tape);

#endif
