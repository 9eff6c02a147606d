// SPDX-License-Identifier: MIT

/// @file rounds.h
/// Rounds, matches and what they are counted in. A match never ends the game: the next one begins.

#ifndef DUEL_ROUNDS_H
#define DUEL_ROUNDS_H

#include "duel/duel_state.h"

/// Begin the first match.
void duel_rounds_begin(duel_state *duel);

/// Decide and begin rounds, matches and, in the arcade, games.
void duel_rounds_step(duel_state *duel, const bks_step *step);

/// Ticks until the next ring falls away.
/// @return the ticks, UINT32_MAX when none will
uint32_t duel_rounds_collapse_in(const duel_state *duel);

#endif
