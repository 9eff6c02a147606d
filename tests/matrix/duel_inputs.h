// SPDX-License-Identifier: MIT

/// @file duel_inputs.h
/// The inputs of a recorded match of duel in arcade mode, four players, seed 1.

#ifndef TEST_MATRIX_DUEL_INPUTS_H
#define TEST_MATRIX_DUEL_INPUTS_H

enum {
    DUEL_INPUT_TICKS = 3600,
    DUEL_INPUT_PLAYERS = 4,
    DUEL_INPUT_CHARS = 3, ///< of one player in one tick
    DUEL_INPUT_LINE_CHARS = DUEL_INPUT_PLAYERS * DUEL_INPUT_CHARS * 8,
    DUEL_INPUT_LINES =
        DUEL_INPUT_TICKS * DUEL_INPUT_PLAYERS * DUEL_INPUT_CHARS / DUEL_INPUT_LINE_CHARS,
};

/// By tick and player three digits of 5 bits, 0 to 9 and a to v: move_x + 32 in the upper 6 bits,
/// move_y + 32 in the next 6, fire in the lowest 3.
extern const char duel_inputs[DUEL_INPUT_LINES][DUEL_INPUT_LINE_CHARS + 1];

#endif
