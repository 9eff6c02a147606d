// SPDX-License-Identifier: MIT

/// @file board.h
/// The tiles of the board: maps, colours, and the rings that fall away late in a round.

#ifndef DUEL_BOARD_H
#define DUEL_BOARD_H

#include "duel/duel_state.h"

typedef enum duel_map {
    DUEL_MAP_PLAIN = 0,
    DUEL_MAP_CROSS = 1,
    DUEL_MAP_ISLANDS = 2,
    DUEL_MAP_LANES = 3,
    DUEL_MAPS = 4,
} duel_map;

/// Names of the maps, as the option `map` takes them.
extern const char *const duel_map_names[DUEL_MAPS];

/// Find a map by its name.
/// @return the map, DUEL_MAPS if there is none of that name
uint32_t duel_map_named(const char *name);

/// Lay out the tiles for a new round.
void duel_board_reset(duel_state *duel);

/// Get the kind of a tile; DUEL_TILE_WALL beyond the edge.
duel_tile duel_tile_at(const duel_state *duel, int32_t tile_x, int32_t tile_y);

/// Return true if a ship of `side` may fly over a tile.
bool duel_tile_is_open(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y);

/// Give a tile to a side. Walls and fallen tiles do not change.
/// @return true if the tile was the other side's
bool duel_board_colour(duel_state *duel, int32_t tile_x, int32_t tile_y, uint32_t side);

/// Count the tiles of a side.
uint32_t duel_board_count(const duel_state *duel, uint32_t side);

/// Step the board: the glow of newly coloured tiles fades.
void duel_board_step(duel_state *duel);

/// Return the ring of a tile; the outermost ring is 0.
uint32_t duel_board_ring(const duel_state *duel, int32_t tile_x, int32_t tile_y);

/// Let the outermost remaining ring fall away.
void duel_board_collapse(duel_state *duel);

static inline uint32_t duel_board_tiles(const duel_state *duel)
{
    return (uint32_t)duel->width * duel->height;
}

static inline uint32_t duel_tile_index(const duel_state *duel, int32_t tile_x, int32_t tile_y)
{
    return (uint32_t)tile_y * duel->width + (uint32_t)tile_x;
}

/// Return the row or column of tiles at a position. Positions on the board are never negative.
static inline int32_t duel_tile_of(int32_t position)
{
    return position >= 0 ? position / DUEL_TILE : -1;
}

static inline int32_t duel_tile_middle(int32_t tile)
{
    return tile * DUEL_TILE + DUEL_TILE / 2;
}

#endif
