// SPDX-License-Identifier: MIT

/// @file duel_input.h
/// Input of a player in a tick.

#ifndef DUEL_INPUT_H
#define DUEL_INPUT_H

#include <stdint.h>

/// An input, with the fields of the game's table.
typedef struct duel_input {
    int32_t move_x; ///< -31..31, right is positive
    int32_t move_y; ///< -31..31, down is positive
    int32_t fire;   ///< a duel_direction; 5..7 read as none
} duel_input;

/// Direction of a shot.
typedef enum duel_direction {
    DUEL_NONE = 0,
    DUEL_NORTH = 1,
    DUEL_EAST = 2,
    DUEL_SOUTH = 3,
    DUEL_WEST = 4,
} duel_direction;

#endif
