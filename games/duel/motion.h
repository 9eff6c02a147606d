// SPDX-License-Identifier: MIT

/// @file motion.h
/// Integer geometry: roots, directions, and a circle that slides along tiles.

#ifndef DUEL_MOTION_H
#define DUEL_MOTION_H

#include "duel/duel_state.h"

/// Steps of a full turn in the table of directions.
#define DUEL_TURN 32

/// Parts of a tick, for pictures between two ticks.
#define DUEL_PARTS 1024

/// A vector in units.
typedef struct duel_vector {
    int32_t x, y;
} duel_vector;

/// Return the whole part of a square root.
int32_t duel_root(uint32_t square);

/// Return the length of a vector with components of at most 46340.
int32_t duel_length(int32_t x, int32_t y);

/// Return true if two points are nearer than `reach`, 1..32767 units.
bool duel_is_near(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int32_t reach);

/// Return a direction as a vector of length 256. `turn` is taken modulo DUEL_TURN; 0 is right, a
/// quarter turn is down.
duel_vector duel_turn(uint32_t turn);

/// Return the step of one tile in a direction; (0, 0) for no direction.
duel_vector duel_step_of(uint32_t direction);

/// Move `value` towards `target` by at most `most`.
int32_t duel_approach(int32_t value, int32_t target, int32_t most);

/// Return a part of a distance, rounded.
/// @param part  0..DUEL_PARTS
int32_t duel_part(int32_t way, int32_t part);

/// Move a ship's circle by (dx, dy), at most half its radius, and let it slide along the tiles that
/// its side may not enter. The tile under its middle at the start never stops it.
duel_vector duel_slide(const duel_state *duel, uint32_t side, duel_vector at, int32_t dx,
                       int32_t dy);

#endif
