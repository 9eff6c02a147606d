// SPDX-License-Identifier: MIT

/// @file waves.h
/// The arcade's waves: how many creatures hatch, of which kind, and what killing them is worth.

#ifndef DUEL_WAVES_H
#define DUEL_WAVES_H

#include "duel/duel_state.h"

/// Begin a game at its first wave.
void duel_waves_begin(duel_state *duel);

/// Creatures hatch; a wave that is killed off makes room for the next.
void duel_waves_step(duel_state *duel, const bks_step *step);

/// A creature was killed.
/// @param seat  by whom, or DUEL_NOBODY
void duel_waves_count_kill(duel_state *duel, uint32_t kind, uint32_t seat);

#endif
