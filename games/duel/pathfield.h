// SPDX-License-Identifier: MIT

/// @file pathfield.h
/// Distances over the board: the creatures' way to the ships, the distance to a pilot's threats,
/// and the tiles that a pilot can reach.

#ifndef DUEL_PATHFIELD_H
#define DUEL_PATHFIELD_H

#include "duel/duel_state.h"

/// Distance of a tile that cannot be reached.
#define DUEL_FAR 255u

/// Update the creatures' field after the board or a ship changed, but not every tick.
void duel_field_step(duel_state *duel);

/// Compute the distance of each tile to the nearest threat to `side`: a ship of the other side or a
/// creature. Walls block the way, colours do not.
/// @param out  tiles to the threat, at most DUEL_FAR - 1; DUEL_FAR if there is no way
void duel_threat_distance(const duel_state *duel, uint32_t side, uint8_t out[DUEL_TILES_MAX]);

/// Compute the distance from one tile to each other one, over tiles of `side` only. The first tile
/// may have any colour.
/// @param out   as in duel_threat_distance()
/// @param from  receives, for each reached tile, the previous tile on a shortest way
void duel_reach(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y,
                uint8_t out[DUEL_TILES_MAX], uint16_t from[DUEL_TILES_MAX]);

#endif
