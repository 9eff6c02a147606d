// SPDX-License-Identifier: MIT

/// @file game_calls.h
/// All calls of a game that make or read its state. Each call runs in the known floating-point
/// environment (bks_float_enter()), and the caller's environment is restored afterwards. A step
/// gets a copy of its inputs, so inputs that it overwrites are intact when the tick is stepped
/// again.

#ifndef BKSI_GAME_CALLS_H
#define BKSI_GAME_CALLS_H

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"

/// Data for calling the functions of a game, and the faults of the newest calls. Start from {0}.
typedef struct bksi_game_calls {
    const bks_game *game;
    bks_runner_floats floats;
    /// Changes of the floating-point environment that the newest create, init or step left behind,
    /// as bits of bks_float_fault.
    uint32_t float_faults;
    /// True if a call that changed the floating-point environment was logged.
    bool has_warned_floats;
    bool wrote_inputs;      ///< true if the newest step wrote to its inputs
    bool has_warned_inputs; ///< true if a step that wrote to its inputs was logged
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX]; ///< copy of the inputs for the newest step
} bksi_game_calls;

void *bksi_call_create(bksi_game_calls *calls, const bks_start *start);
void bksi_call_init(bksi_game_calls *calls, void *state, const bks_start *start);
/// @param step  its `inputs` are replaced by a copy that the game may write to
void bksi_call_step(bksi_game_calls *calls, void *state, bks_step *step);
/// Extrapolate a copy of the state, for a picture. The match does not depend on the copy, so
/// changes of the floating-point environment are undone and not reported.
void bksi_call_extrapolate(bksi_game_calls *calls, void *state, const bks_step *step, float share);
size_t bksi_call_save(bksi_game_calls *calls, const void *state, void *bytes, size_t capacity);
bool bksi_call_load(bksi_game_calls *calls, void *state, const void *bytes, size_t count);
void bksi_call_hash(bksi_game_calls *calls, const void *state, bks_hasher *hasher);
const char *bksi_call_check(bksi_game_calls *calls, const void *state);

/// Log once that a call changed the floating-point environment, and once that a step wrote to its
/// inputs.
/// @param tick  tick of the step; BKS_TICK_NONE: the call was `init`
/// @param mark  last mark of the step; NULL: none
void bksi_game_calls_report(bksi_game_calls *calls, bks_tick tick, const char *mark);

/// Return the words that go before the name of a step's last mark in a text.
/// @param mark  the mark; NULL: the step has reached none
const char *bksi_last_mark_is(const char *mark);

#endif
