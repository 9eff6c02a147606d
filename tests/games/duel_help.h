// SPDX-License-Identifier: MIT

/// @file duel_help.h
/// What the tests of duel share.

#ifndef DUEL_HELP_H
#define DUEL_HELP_H

#include "duel/duel_state.h"
#include "game/runner.h"

/// Open a match; the test fails when that is impossible.
bksi_runner *duel_help_open(const char *mode, const char *map, const char *wave, uint32_t players,
                            uint64_t seed);

/// Step with every seat's stick and trigger untouched.
void duel_help_idle(bksi_runner *runner, bks_tick from, uint32_t ticks);

/// Step until the round is being played.
/// @return the next tick
bks_tick duel_help_start_round(bksi_runner *runner);

/// Inputs of one tick from the game's own bots.
void duel_help_bots(bksi_runner *runner, bks_tick tick, uint64_t memory[DUEL_SEATS][8],
                    duel_input inputs[DUEL_SEATS]);

/// Put a ship somewhere by hand, without protection, its surroundings in its colour.
void duel_help_put(duel_state *duel, uint32_t seat, int32_t tile_x, int32_t tile_y);

/// Live items of a pool.
uint32_t duel_help_count(const bks_ref *pool);

/// Return true if the state satisfies all that must hold between two steps.
/// @param wrong  receives what does not
bool duel_help_is_sound(const duel_state *duel, const char **wrong);

#endif
