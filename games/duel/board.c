// SPDX-License-Identifier: MIT

#include "duel/board.h"

#include <string.h>

const char *const duel_map_names[DUEL_MAPS] = {"plain", "cross", "islands", "lanes"};

uint32_t duel_map_named(const char *name)
{
    uint32_t map = 0;
    while (map < DUEL_MAPS && strcmp(duel_map_names[map], name) != 0) {
        map++;
    }
    return map;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// A tile's place seen from the nearest corner of the board, so that walls are equal in all four
// corners.
typedef struct corner {
    int32_t x, y;
} corner;

static corner fold(const duel_state *duel, int32_t x, int32_t y)
{
    return (corner){least(x, duel->width - 1 - x), least(y, duel->height - 1 - y)};
}

static bool is_wall(const duel_state *duel, int32_t x, int32_t y)
{
    const corner at = fold(duel, x, y);
    const int32_t half_width = duel->width / 2;
    const int32_t half_height = duel->height / 2;
    switch ((duel_map)duel->map) {
    case DUEL_MAP_CROSS:
        return (at.x == half_width - 1 && at.y >= 2 && at.y <= half_height - 4) ||
               (at.y == half_height - 1 && at.x >= half_width / 2 - 1 &&
                at.x <= half_width / 2 + 1);
    case DUEL_MAP_ISLANDS:
        return at.x == half_width / 2 && at.y == half_height / 2 - 1;
    case DUEL_MAP_LANES:
        return at.x == half_width - 2 && (at.y == 1 || at.y == half_height - 2);
    case DUEL_MAP_PLAIN:
    case DUEL_MAPS:
        break;
    }
    return false;
}

// Return the first owner of a tile. Half a turn of the board swaps the sides' tiles, on every map.
static uint32_t versus_side(const duel_state *duel, int32_t x, int32_t y)
{
    const uint32_t half = x >= duel->width / 2;
    const corner at = fold(duel, x, y);
    switch ((duel_map)duel->map) {
    case DUEL_MAP_ISLANDS: {
        const int32_t across = at.x - duel->width / 4 + 1;
        const int32_t down = at.y - duel->height / 4;
        const bool is_island =
            across * across + 2 * down * down <= 5 || at.x == duel->width / 2 - 1;
        return is_island ? duel_rival(half) : half;
    }
    case DUEL_MAP_LANES:
        return ((uint32_t)at.y / 2 + half) & 1u;
    case DUEL_MAP_PLAIN:
    case DUEL_MAP_CROSS:
    case DUEL_MAPS:
        break;
    }
    return half;
}

// Return the first owner of a tile. The ships begin on an island in the middle.
static uint32_t arcade_side(const duel_state *duel, int32_t x, int32_t y)
{
    const int32_t across = 2 * x + 1 - duel->width;
    const int32_t down = 2 * y + 1 - duel->height;
    return across * across + 3 * down * down <= 330 ? DUEL_TILE_EMBER : DUEL_TILE_TIDE;
}

void duel_board_reset(duel_state *duel)
{
    memset(duel->tile, 0, sizeof(duel->tile));
    memset(duel->glow, 0, sizeof(duel->glow));
    for (int32_t y = 0; y < duel->height; y++) {
        for (int32_t x = 0; x < duel->width; x++) {
            uint32_t tile =
                duel->mode == DUEL_ARCADE ? arcade_side(duel, x, y) : versus_side(duel, x, y);
            if (is_wall(duel, x, y)) {
                tile = DUEL_TILE_WALL;
            }
            duel->tile[duel_tile_index(duel, x, y)] = (uint8_t)tile;
        }
    }
    duel->rings_gone = 0;
    duel->field_is_stale = 1;
}

duel_tile duel_tile_at(const duel_state *duel, int32_t tile_x, int32_t tile_y)
{
    if (tile_x < 0 || tile_y < 0 || tile_x >= duel->width || tile_y >= duel->height) {
        return DUEL_TILE_WALL;
    }
    return (duel_tile)duel->tile[duel_tile_index(duel, tile_x, tile_y)];
}

bool duel_tile_is_open(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y)
{
    return (uint32_t)duel_tile_at(duel, tile_x, tile_y) == side;
}

bool duel_board_colour(duel_state *duel, int32_t tile_x, int32_t tile_y, uint32_t side)
{
    if ((uint32_t)duel_tile_at(duel, tile_x, tile_y) != duel_rival(side)) {
        return false;
    }
    const uint32_t index = duel_tile_index(duel, tile_x, tile_y);
    duel->tile[index] = (uint8_t)side;
    duel->glow[index] = DUEL_GLOW_TICKS;
    duel->flipped++;
    duel->field_is_stale = 1;
    return true;
}

uint32_t duel_board_count(const duel_state *duel, uint32_t side)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        count += duel->tile[i] == side;
    }
    return count;
}

void duel_board_step(duel_state *duel)
{
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        duel->glow[i] = (uint8_t)(duel->glow[i] - (duel->glow[i] > 0));
    }
}

uint32_t duel_board_ring(const duel_state *duel, int32_t tile_x, int32_t tile_y)
{
    const corner at = fold(duel, tile_x, tile_y);
    return (uint32_t)least(at.x, at.y);
}

void duel_board_collapse(duel_state *duel)
{
    for (int32_t y = 0; y < duel->height; y++) {
        for (int32_t x = 0; x < duel->width; x++) {
            if (duel_board_ring(duel, x, y) == duel->rings_gone) {
                duel->tile[duel_tile_index(duel, x, y)] = DUEL_TILE_VOID;
            }
        }
    }
    duel->rings_gone++;
}
