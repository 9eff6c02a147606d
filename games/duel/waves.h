// SPDX-License-Identifier: MIT

/// @file waves.h
/// Waves of the arcade: number and kinds of creatures that hatch, and the points for killing them.

#ifndef DUEL_WAVES_H
#define DUEL_WAVES_H

#include "duel/duel_state.h"

/// Begin a game at its first wave.
void duel_waves_begin(duel_state *duel);

/// Step the waves: creatures hatch, and the next wave begins after the last one is killed.
void duel_waves_step(duel_state *duel, const bks_step *step);

/// Count a killed creature.
/// @param seat  seat that killed it, or DUEL_NOBODY
void duel_waves_count_kill(duel_state *duel, uint32_t kind, uint32_t seat);

#endif
