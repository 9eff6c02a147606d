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

/// The game: 60 ticks a second, 1..4 seats. Seats 0 and 2 are Ember, 1 and 3 are Tide; a versus
/// match with an odd number of seats gets a house pilot so that the sides are even.
extern const bks_game duel_game;

/// Fields of an input, in the order of the table.
typedef struct duel_input {
    int32_t move_x; ///< -31..31, right is positive
    int32_t move_y; ///< -31..31, down is positive
    int32_t fire;   ///< a duel_direction; 5..7 read as none
} duel_input;

/// Where a shot goes.
typedef enum duel_direction {
    DUEL_NONE = 0,
    DUEL_NORTH = 1,
    DUEL_EAST = 2,
    DUEL_SOUTH = 3,
    DUEL_WEST = 4,
} duel_direction;

/// Draw one frame of the state, letterboxed to the canvas.
void duel_draw(const void *state, const bks_canvas *canvas);

/// One line about a seat for a summary.
void duel_score(const void *state, uint32_t player, char out[64]);

#endif
