// SPDX-License-Identifier: MIT

/// @file shots.h
/// Shots: they fly straight along a lane of tiles, colour it and kill.

#ifndef DUEL_SHOTS_H
#define DUEL_SHOTS_H

#include "duel/enemies.h"

/// Fire from a ship.
/// @param is_wide   three lanes instead of one
/// @param is_heavy  faster, and not stopped by the first hit
void duel_shots_fire(duel_state *duel, const duel_ship *ship, uint32_t direction, bool is_wide,
                     bool is_heavy);

/// How far a shot flies in a tick.
int32_t duel_shot_speed(const duel_shot *shot);

/// Shots fly, colour, cancel each other out and kill.
void duel_shots_step(duel_state *duel, const bks_step *step, duel_crowd *crowd);

/// For a picture: shots fly on for a part of the next tick, and meet nothing.
/// @param part  of DUEL_PARTS, 0..DUEL_PARTS
void duel_shots_ahead(duel_state *duel, int32_t part);

#endif
