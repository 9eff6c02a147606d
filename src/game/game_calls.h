// SPDX-License-Identifier: MIT

/// @file game_calls.h
/// All calls of a game whose results are its state, or are made of it. Each runs in the known
/// floating-point environment (bks_float_enter()), whatever the caller's is, and the caller has its
/// own back afterwards. A step has a copy of its inputs: what it writes there is gone when it is
/// stepped again.

#ifndef BKSI_GAME_CALLS_H
#define BKSI_GAME_CALLS_H

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"

/// How a runner calls its game, and what came of it. Start from {0}.
typedef struct bksi_game_calls {
    const bks_game *game;
    bks_runner_floats floats;
    uint32_t
        float_faults;     ///< what the newest create, init or step changed: bits of bks_float_fault
    bool has_said_floats; ///< to the log
    bool wrote_inputs;    ///< the newest step did
    bool has_said_inputs; ///< to the log
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX]; ///< the newest step's own
} bksi_game_calls;

void *bksi_call_create(bksi_game_calls *calls, const bks_start *start);
void bksi_call_init(bksi_game_calls *calls, void *state, const bks_start *start);
void bksi_call_step(bksi_game_calls *calls, void *state, const bks_step *step);
/// Not a part of the state's way: what it changes of the environment is put back and not reported.
void bksi_call_extrapolate(bksi_game_calls *calls, void *state, const bks_step *step, float share);
size_t bksi_call_save(bksi_game_calls *calls, const void *state, void *bytes, size_t capacity);
bool bksi_call_load(bksi_game_calls *calls, void *state, const void *bytes, size_t count);
void bksi_call_hash(bksi_game_calls *calls, const void *state, bks_hasher *hasher);
const char *bksi_call_check(bksi_game_calls *calls, const void *state);

/// Log once what such a call left changed, and once that a step wrote its inputs.
/// @param where  "step of duel at tick 3, the last mark is ships"
void bksi_game_calls_report(bksi_game_calls *calls, const char *where);

#endif
