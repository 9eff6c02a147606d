// SPDX-License-Identifier: MIT

/// @file pathfield.h
/// Distances over the board: the creatures' way to the ships, what pilots fear, where they can go.

#ifndef DUEL_PATHFIELD_H
#define DUEL_PATHFIELD_H

#include "duel/duel_state.h"

/// A tile that cannot be reached.
#define DUEL_FAR 255u

/// Work the creatures' field out again when the board or a ship moved, but not every tick.
void duel_field_step(duel_state *duel);

/// Tiles to the nearest thing that hunts `side`: a ship of the other side or a creature. Walls
/// are in the way, colours are not.
/// @param out  one for each tile, DUEL_FAR where there is no way, at most DUEL_FAR - 1
void duel_threat_distance(const duel_state *duel, uint32_t side, uint8_t out[DUEL_TILES_MAX]);

/// Tiles from one tile to each other one over tiles of `side` only; the first may be any.
/// @param out   as duel_threat_distance()
/// @param from  receives for each reached tile the tile before it on a shortest way
void duel_reach(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y,
                uint8_t out[DUEL_TILES_MAX], uint16_t from[DUEL_TILES_MAX]);

#endif
