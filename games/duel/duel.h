// SPDX-License-Identifier: MIT

/// @file duel.h
/// `duel`: ships that can fly only over tiles of their own colour and shoot paths through the
/// other's. Two sides fight for rounds (`mode=versus`), or all seats together hold out against
/// waves of creatures (`mode=arcade`).
///
/// The whole game lives in one region and is integer arithmetic throughout; `step` reads nothing
/// but the state and the inputs.

#ifndef DUEL_DUEL_H
#define DUEL_DUEL_H

#include "backstitch/plugin.h"
#include "duel/duel_input.h"

/// The game: 60 ticks a second, 1..4 seats. Seats 0 and 2 are Ember, 1 and 3 are Tide; a versus
/// match with an odd number of seats gets a house pilot so that the sides are even.
extern const bks_game duel_game;

/// Draw one frame of the state, letterboxed to the canvas.
void duel_draw(const bks_picture *picture, const bks_canvas *canvas);

/// One line about a seat for a summary.
void duel_score(const void *state, uint32_t player, char out[64]);

#endif
