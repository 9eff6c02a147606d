// SPDX-License-Identifier: MIT

/// @file duel.h
/// The game `duel`: ships fly only over tiles of their own colour, and shoot paths through the
/// other side's tiles. Two sides fight for rounds (`mode=versus`), or all seats together defend
/// themselves against waves of creatures (`mode=arcade`).
///
/// The whole state lies in one region. `step` uses integers only, and reads nothing but the state
/// and the inputs.

#ifndef DUEL_DUEL_H
#define DUEL_DUEL_H

#include "backstitch/plugin.h"
#include "duel/duel_input.h"

/// Description of the game: 60 ticks a second, 1..4 seats. Seats 0 and 2 are Ember, 1 and 3 are
/// Tide. A versus match with an odd number of seats gets a house pilot, so that the sides are even.
extern const bks_game duel_game;

/// Draw a picture of the state, with black bars if the canvas has another shape.
void duel_draw(const bks_picture *picture, const bks_canvas *canvas);

/// Write one line about a seat for a summary.
void duel_score(const void *state, uint32_t player, char out[64]);

#endif
