// SPDX-License-Identifier: MIT

#include "duel/motion.h"

#include "duel/board.h"

int32_t duel_root(uint32_t square)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 30; bit != 0; bit >>= 2) {
        if (square >= root + bit) {
            square -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (int32_t)root;
}

int32_t duel_length(int32_t x, int32_t y)
{
    return duel_root((uint32_t)(x * x) + (uint32_t)(y * y));
}

bool duel_is_near(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int32_t reach)
{
    const int32_t dx = x1 - x0;
    const int32_t dy = y1 - y0;
    if (dx <= -reach || dx >= reach || dy <= -reach || dy >= reach) {
        return false;
    }
    return (uint32_t)(dx * dx) + (uint32_t)(dy * dy) < (uint32_t)(reach * reach);
}

duel_vector duel_turn(uint32_t turn)
{
    // Values of 256 cos(2 pi i / 32), rounded. The sine lies a quarter turn behind.
    static const int16_t cosine[DUEL_TURN] = {
        256,  251,  237,  213,  181,  142,  98,  50,  0, -50, -98, -142, -181, -213, -237, -251,
        -256, -251, -237, -213, -181, -142, -98, -50, 0, 50,  98,  142,  181,  213,  237,  251,
    };
    return (duel_vector){cosine[turn % DUEL_TURN], cosine[(turn + 24) % DUEL_TURN]};
}

duel_vector duel_step_of(uint32_t direction)
{
    switch (direction) {
    case DUEL_NORTH:
        return (duel_vector){0, -1};
    case DUEL_EAST:
        return (duel_vector){1, 0};
    case DUEL_SOUTH:
        return (duel_vector){0, 1};
    case DUEL_WEST:
        return (duel_vector){-1, 0};
    default:
        return (duel_vector){0, 0};
    }
}

int32_t duel_approach(int32_t value, int32_t target, int32_t most)
{
    if (value < target) {
        return target - value > most ? value + most : target;
    }
    return value - target > most ? value - most : target;
}

int32_t duel_part(int32_t way, int32_t part)
{
    return (way * part + (way < 0 ? -DUEL_PARTS / 2 : DUEL_PARTS / 2)) / DUEL_PARTS;
}

static int32_t clamp(int32_t value, int32_t least, int32_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

// Push the circle out of a tile along the shortest way. If the circle's middle is inside, the tile
// changed under it, so undo the whole move.
static void push_out(duel_vector *at, duel_vector before, int32_t tile_x, int32_t tile_y)
{
    const int32_t left = tile_x * DUEL_TILE;
    const int32_t top = tile_y * DUEL_TILE;
    const int32_t near_x = clamp(at->x, left, left + DUEL_TILE);
    const int32_t near_y = clamp(at->y, top, top + DUEL_TILE);
    if (!duel_is_near(near_x, near_y, at->x, at->y, DUEL_SHIP_RADIUS)) {
        return;
    }
    const int32_t dx = at->x - near_x;
    const int32_t dy = at->y - near_y;
    const int32_t length = duel_length(dx, dy);
    if (length == 0) {
        *at = before;
        return;
    }
    at->x = near_x + dx * DUEL_SHIP_RADIUS / length;
    at->y = near_y + dy * DUEL_SHIP_RADIUS / length;
}

duel_vector duel_slide(const duel_state *duel, uint32_t side, duel_vector at, int32_t dx,
                       int32_t dy)
{
    const duel_vector before = at;
    const int32_t home_x = duel_tile_of(at.x);
    const int32_t home_y = duel_tile_of(at.y);
    at.x += dx;
    at.y += dy;
    // Run twice, because a push out of one tile can lead into the next.
    for (int pass = 0; pass < 2; pass++) {
        const int32_t middle_x = duel_tile_of(at.x);
        const int32_t middle_y = duel_tile_of(at.y);
        for (int32_t y = middle_y - 1; y <= middle_y + 1; y++) {
            for (int32_t x = middle_x - 1; x <= middle_x + 1; x++) {
                const bool is_home = x == home_x && y == home_y;
                if (!is_home && !duel_tile_is_open(duel, side, x, y)) {
                    push_out(&at, before, x, y);
                }
            }
        }
    }
    at.x = clamp(at.x, DUEL_SHIP_RADIUS, duel->width * DUEL_TILE - DUEL_SHIP_RADIUS);
    at.y = clamp(at.y, DUEL_SHIP_RADIUS, duel->height * DUEL_TILE - DUEL_SHIP_RADIUS);
    return at;
}
