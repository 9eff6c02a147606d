// SPDX-License-Identifier: MIT

/// @file draw_between.h
/// Where things are in a picture that lies between two ticks: between where they were in the state
/// before and where they are, ships eased by what a correction moved.

#ifndef DUEL_DRAW_BETWEEN_H
#define DUEL_DRAW_BETWEEN_H

#include "duel/draw_shapes.h"

/// Numbers that are eased: x and y of each ship.
#define DUEL_SMOOTHS (2 * DUEL_SEATS)

/// A place on the canvas.
typedef struct duel_spot {
    float x, y;
} duel_spot;

/// Between two positions on the board, in units.
duel_spot duel_spot_between(const duel_view *view, int32_t was_x, int32_t was_y, int32_t x,
                            int32_t y);

/// Between two sizes, in units; as a length on the canvas.
float duel_length_between(const duel_view *view, int32_t was, int32_t now);

/// A living ship's. Call it once for each ship and picture.
duel_spot duel_spot_of_ship(const duel_view *view, const duel_ship *ship);

/// A ship that is not seen: where it is next, it is not eased.
void duel_spot_forget_ship(const duel_view *view, uint32_t seat);

/// Find an item of a pool in the state before.
/// @param pool  in that state
/// @param item  as it is
/// @return item where it did not exist, or nothing lies between
const void *duel_was(const duel_view *view, const bks_ref *pool, bks_id id, const void *item);

#endif
