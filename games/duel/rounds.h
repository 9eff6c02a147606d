// SPDX-License-Identifier: MIT

/// @file rounds.h
/// Rounds and matches, and their scores. The end of a match does not end the game: the next match
/// begins.

#ifndef DUEL_ROUNDS_H
#define DUEL_ROUNDS_H

#include "duel/duel_state.h"

/// Begin the first match.
void duel_rounds_begin(duel_state *duel);

/// Decide rounds and matches, in the arcade games, and begin the next ones.
void duel_rounds_step(duel_state *duel, const bks_step *step);

/// Return the ticks until the next ring falls away, UINT32_MAX if none will.
uint32_t duel_rounds_collapse_in(const duel_state *duel);

#endif
