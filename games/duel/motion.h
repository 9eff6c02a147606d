// SPDX-License-Identifier: MIT

/// @file motion.h
/// Integer geometry: roots, directions, and a circle that slides along tiles.

#ifndef DUEL_MOTION_H
#define DUEL_MOTION_H

#include "duel/duel_state.h"

/// Steps of a full turn in the table of directions.
#define DUEL_TURN 32

/// Parts of a tick that a picture may lie ahead.
#define DUEL_PARTS 1024

/// A vector in units.
typedef struct duel_vector {
    int32_t x, y;
} duel_vector;

/// The whole part of a square root.
int32_t duel_root(uint32_t square);

/// Length of a vector whose parts are at most 46340 in size.
int32_t duel_length(int32_t x, int32_t y);

/// Return true if two points are nearer than `reach`, 1..32767 units.
bool duel_is_near(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int32_t reach);

/// A direction of length 256, `turn` taken modulo DUEL_TURN; 0 is right, a quarter turn is down.
duel_vector duel_turn(uint32_t turn);

/// One tile's step in a direction; none is (0, 0).
duel_vector duel_step_of(uint32_t direction);

/// Bring `value` nearer to `target` by at most `most`.
int32_t duel_approach(int32_t value, int32_t target, int32_t most);

/// A part of a way, rounded.
/// @param part  of DUEL_PARTS, 0..DUEL_PARTS
int32_t duel_part(int32_t way, int32_t part);

/// Move a ship's circle by (dx, dy), at most half its radius, along the tiles its side may not
/// enter. The tile its middle starts on never stops it.
duel_vector duel_slide(const duel_state *duel, uint32_t side, duel_vector at, int32_t dx,
                       int32_t dy);

#endif
