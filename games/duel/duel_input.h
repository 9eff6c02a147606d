// SPDX-License-Identifier: MIT

/// @file duel_input.h
/// What a player does in a tick.

#ifndef DUEL_INPUT_H
#define DUEL_INPUT_H

#include <stdint.h>

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

#endif
