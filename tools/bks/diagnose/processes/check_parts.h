// SPDX-License-Identifier: MIT

/// @file check_parts.h
/// What a variant is, and the stepper that it perturbs.

#ifndef BKS_TOOL_CHECK_PARTS_H
#define BKS_TOOL_CHECK_PARTS_H

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

#endif
