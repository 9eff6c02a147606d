// SPDX-License-Identifier: MIT

/// @file draw_between.h
/// Positions in a picture that shows a time between two ticks. They are blended from the last two
/// states, and ships are eased after a correction.

#ifndef DUEL_DRAW_BETWEEN_H
#define DUEL_DRAW_BETWEEN_H

#include "duel/draw_shapes.h"

/// Number of eased values: x and y of each ship.
#define DUEL_SMOOTHS (2 * DUEL_SEATS)

/// A place on the canvas.
typedef struct duel_spot {
    float x, y;
} duel_spot;

/// Return the place between two positions on the board, in units.
duel_spot duel_spot_between(const duel_view *view, int32_t was_x, int32_t was_y, int32_t x,
                            int32_t y);

/// Return the length on the canvas between two sizes, in units.
float duel_length_between(const duel_view *view, int32_t was, int32_t now);

/// Return the place of a living ship. Call it once for each ship and picture.
duel_spot duel_spot_of_ship(const duel_view *view, const duel_ship *ship);

/// Forget the eased place of a ship that is not shown, so that it appears at its next place without
/// sliding.
void duel_spot_forget_ship(const duel_view *view, uint32_t seat);

/// Find the earlier state of a pool's item.
/// @param pool  the pool in the earlier state
/// @param item  the present item
/// @return `item` if it did not exist earlier, or if the picture is not between two ticks
const void *duel_was(const duel_view *view, const bks_ref *pool, bks_id id, const void *item);

#endif
