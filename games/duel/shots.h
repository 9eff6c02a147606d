// SPDX-License-Identifier: MIT

/// @file shots.h
/// Shots: they fly straight along a lane of tiles, colour the tiles and kill.

#ifndef DUEL_SHOTS_H
#define DUEL_SHOTS_H

#include "duel/enemies.h"

/// Fire a shot from a ship.
/// @param is_wide   fire in three lanes instead of one
/// @param is_heavy  the shot is faster, and the first hit does not stop it
void duel_shots_fire(duel_state *duel, const duel_ship *ship, uint32_t direction, bool is_wide,
                     bool is_heavy);

/// Return the distance that a shot flies in a tick.
int32_t duel_shot_speed(const duel_shot *shot);

/// Step the shots: they fly, colour tiles, cancel each other out and kill.
void duel_shots_step(duel_state *duel, const bks_step *step, duel_crowd *crowd);

/// Move the shots on for a picture: they fly for a part of the next tick, and hit nothing.
/// @param part  0..DUEL_PARTS
void duel_shots_ahead(duel_state *duel, int32_t part);

#endif
