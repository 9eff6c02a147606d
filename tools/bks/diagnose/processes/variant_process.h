// SPDX-License-Identifier: MIT

/// @file variant_process.h
/// The stepper that varies: a process of its own, which steps the baseline's inputs, compares
/// itself with the baseline's tape after every mark, and writes the first difference into it.

#ifndef BKS_TOOL_VARIANT_PROCESS_H
#define BKS_TOOL_VARIANT_PROCESS_H

#include "backstitch/toolkit/state_map.h"
#include "diagnose/processes/check_task.h"
#include "diagnose/processes/stepper.h"

typedef struct variant_process variant_process;

/// Most variants there may be.
enum { CHECK_VARIANTS_MAX = 32 };

/// What may stand behind a variant's name.
typedef enum check_takes {
    CHECK_TAKES_NOTHING = 0,
    CHECK_TAKES_GAME = 1, ///< "=OTHER.so", without which it is not exercised
    CHECK_TAKES_TICK = 2, ///< "=N", or nothing
} check_takes;

/// One variant. Functions may be NULL, but for `step`.
typedef struct check_variant {
    const char *name;
    check_takes takes;
    const char *about;           ///< for the help: what it does and finds
    const char *unit;            ///< what is counted as perturbed, one of them
    const char *perturbed;       ///< what becomes of them, behind their number and the unit
    const char *cause;           ///< class of the fault that it finds
    const char *advice;          ///< where to look for it
    const char *explained_by[2]; ///< variants whose faults it meets, too: the first that differs is
                                 ///< the cause; NULL: none
    uint32_t process;            ///< how its process is started, bits of check_process
    check_set_kind sets;         ///< to the number behind its name, for `bks doctor` alone
    bool imports;                ///< its process takes up the baseline's state
    bool reloads;                ///< both sides load what they saved, see stepper_reload()
    bool keeps_inputs;           ///< and looks whether a step leaves its inputs as they were
    bool stays;                  ///< and runs on to the end, instead of until the next one does so

    /// Before the game is loaded.
    void (*prepare)(variant_process *variant);
    /// Before its state is made.
    void (*loaded)(variant_process *variant);
    /// Why there is nothing to vary.
    /// @return NULL: there is
    const char *(*why_not)(const variant_process *variant);
    /// Step the tick that is on the tape, at least once by variant_step().
    void (*step)(variant_process *variant, bks_tick tick);
    /// At a mark, instead of comparing the state with the tape's.
    void (*marked)(variant_process *variant, bks_tick tick, const char *mark);
    /// Before the state is compared: undo what was changed in it.
    void (*calm)(variant_process *variant);
    /// When it was compared: change it again.
    void (*stir)(variant_process *variant);
} check_variant;

/// Why a second copy of a game cannot be stepped beside it.
#define CHECK_ONE_IN_A_PROCESS "the game cannot be created twice in one process"

/// Ticks whose inputs a variant remembers.
enum { CHECK_HISTORY = 16 };

/// The varying stepper.
struct variant_process {
    const check_variant *kind;
    check_stepper stepper;
    check_tape *tape;
    size_t mapped_bytes; ///< of the tape, 0: all of it
    uint8_t *bytes;      ///< the state at a mark
    size_t bytes_capacity;
    bool compares;          ///< this step is to be the tape's
    uint32_t next_mark;     ///< of the tape, to compare with
    bool has_unnamed;       ///< a difference between hashes, to be named by the next bytes
    char folder[4096];      ///< where the process began, empty: not known
    uint32_t calmed;        ///< items that `calm` found changed
    bks_runner *other;      ///< another copy of the game, NULL: none
    bks_tick other_tick;    ///< that it steps next
    bks_tick other_ticks;   ///< until it begins anew
    uint32_t others;        ///< that were begun
    uint32_t other_players; ///< of the last
    int32_t history[CHECK_HISTORY][BKS_PLAYERS_MAX * BKS_FIELDS_MAX]; ///< inputs by tick
};

/// Step a tick of the tape and compare every mark.
void variant_step(variant_process *variant, bks_tick tick);

/// Step a tick of the tape as variant_step() does, and count it as perturbed.
void variant_step_counted(variant_process *variant, bks_tick tick);

/// Step any tick with any inputs, and compare nothing.
/// @param why  receives why the game failed (bks_fail()), "" when it did not
/// @return false: it failed, and takes no further step until a state is loaded
bool variant_step_blind(variant_process *variant, bks_tick tick, const int32_t *inputs,
                        char why[160]);

/// Inputs of one of the last CHECK_HISTORY ticks, as the baseline had them.
const int32_t *variant_inputs(const variant_process *variant, bks_tick tick);

/// Whether a difference was found.
bool variant_has_found(const variant_process *variant);

/// Note a difference that is none of bytes.
/// @param text  what the variant says
void variant_find(variant_process *variant, bks_tick tick, const char *mark, const char *a,
                  const char *text);

/// Compare the state as it is with one of the tape.
/// @param mark  "(start)" or "(end)"
void variant_compare_bytes(variant_process *variant, const char *mark, const uint8_t *expected,
                           size_t count);

/// Be a variant until the baseline ends.
/// @param variant       what is varied
/// @param task          by which it is asked for every tick on the tape, and answers
/// @param mapped_bytes  of the tape, see check_tape_follow(); 0: all of it
/// @return the exit status
int variant_main(const check_options *options, const check_variant *variant, const check_task *task,
                 check_tape *tape, size_t mapped_bytes);

/// Name the first live value that differs, or else the first byte, with both values.
/// @param found  receives object, field, a, b and note; left alone when nothing differs
void variant_name(const loaded_game *game, const bks_compared_state *a, const bks_compared_state *b,
                  check_finding *found);

// ---- the other process ----

/// Be the baseline until the ticks end or something differs; the tape's result says which.
/// @return the exit status
int baseline_main(const check_options *options, const check_variant *kind, const check_task *task,
                  check_tape *tape);

#endif
