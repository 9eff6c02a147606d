// SPDX-License-Identifier: MIT

#include "duel/pathfield.h"

#include <string.h>

#include "duel/board.h"
#include "duel/motion.h"

enum {
    FIELD_EVERY_TICKS = 8,
    QUEUE_SLOTS = 1024, // more than there are tiles, a power of two
    COST_OWN = 2,       // cost of a tile of the creatures' colour
    COST_GNAW = 6,      // cost of a tile of the ships' colour
    FIELD_FAR = 9999,
};
_Static_assert((int)QUEUE_SLOTS > (int)DUEL_TILES_MAX, "each tile waits at most once");

// Queue of tiles to visit, each of them at most once.
typedef struct queue {
    uint16_t tile[QUEUE_SLOTS];
    uint32_t head, tail;
} queue;

static void push(queue *waiting, uint32_t tile)
{
    waiting->tile[waiting->tail++ % QUEUE_SLOTS] = (uint16_t)tile;
}

static uint32_t pop(queue *waiting)
{
    return waiting->tile[waiting->head++ % QUEUE_SLOTS];
}

// Return the neighbour of a tile in a direction, or the tile itself at the board's edge.
static uint32_t neighbour(const duel_state *duel, uint32_t tile, uint32_t direction)
{
    const uint32_t x = tile % duel->width;
    switch (direction) {
    case DUEL_NORTH:
        return tile >= duel->width ? tile - duel->width : tile;
    case DUEL_EAST:
        return x + 1u < duel->width ? tile + 1u : tile;
    case DUEL_SOUTH:
        return tile + duel->width < duel_board_tiles(duel) ? tile + duel->width : tile;
    default:
        return x > 0 ? tile - 1u : tile;
    }
}

// Compute the shortest weighted ways. A tile is queued again if its way got shorter, which is rare
// because the weights are similar.
static void work_out(const duel_state *duel, uint16_t *field, queue *waiting)
{
    uint8_t is_waiting[DUEL_TILES_MAX] = {0};
    while (waiting->head != waiting->tail) {
        const uint32_t tile = pop(waiting);
        is_waiting[tile] = 0;
        for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
            const uint32_t next = neighbour(duel, tile, direction);
            if (next == tile || duel->tile[next] >= DUEL_TILE_WALL) {
                continue;
            }
            // A creature walks from `next` to `tile`, so the cost is that of `tile`.
            const uint32_t cost = duel->tile[tile] == DUEL_TILE_TIDE ? COST_OWN : COST_GNAW;
            if (field[tile] + cost < field[next]) {
                field[next] = (uint16_t)(field[tile] + cost);
                if (!is_waiting[next]) {
                    is_waiting[next] = 1;
                    push(waiting, next);
                }
            }
        }
    }
}

void duel_field_step(duel_state *duel)
{
    if (duel->field_wait_ticks > 0) {
        duel->field_wait_ticks--;
        return;
    }
    if (!duel->field_is_stale) {
        return;
    }
    uint16_t *field = bks_ref_get(&duel->field);
    queue waiting;
    waiting.head = 0;
    waiting.tail = 0;
    bool is_anybody_there = false;
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        is_anybody_there |= duel_ship_of(duel, seat)->is_alive != 0;
    }
    if (!is_anybody_there) {
        return; // creatures keep walking to the ships' last places
    }
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        field[i] = FIELD_FAR;
    }
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        const uint32_t tile = duel_tile_index(duel, duel_tile_of(ship->x), duel_tile_of(ship->y));
        if (ship->is_alive && field[tile] != 0) {
            field[tile] = 0;
            push(&waiting, tile);
        }
    }
    work_out(duel, field, &waiting);
    duel->field_is_stale = 0;
    duel->field_wait_ticks = FIELD_EVERY_TICKS;
}

static void add_source(const duel_state *duel, uint8_t *out, queue *waiting, int32_t x, int32_t y)
{
    const uint32_t tile = duel_tile_index(duel, duel_tile_of(x), duel_tile_of(y));
    if (out[tile] != 0) {
        out[tile] = 0;
        push(waiting, tile);
    }
}

void duel_threat_distance(const duel_state *duel, uint32_t side, uint8_t out[DUEL_TILES_MAX])
{
    queue waiting;
    waiting.head = 0;
    waiting.tail = 0;
    memset(out, DUEL_FAR, DUEL_TILES_MAX);
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && ship->side != side) {
            add_source(duel, out, &waiting, ship->x, ship->y);
        }
    }
    const bks_pool *enemies = bks_ref_get(&duel->enemies);
    uint32_t cursor = 0;
    for (duel_enemy *enemy; (enemy = duel_pool_next(enemies, &cursor, NULL)) != NULL;) {
        add_source(duel, out, &waiting, enemy->x, enemy->y);
    }
    while (waiting.head != waiting.tail) {
        const uint32_t tile = pop(&waiting);
        for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
            const uint32_t next = neighbour(duel, tile, direction);
            if (out[next] == DUEL_FAR && duel->tile[next] != DUEL_TILE_WALL &&
                out[tile] + 1u < DUEL_FAR) {
                out[next] = (uint8_t)(out[tile] + 1u);
                push(&waiting, next);
            }
        }
    }
}

void duel_reach(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y,
                uint8_t out[DUEL_TILES_MAX], uint16_t from[DUEL_TILES_MAX])
{
    queue waiting;
    waiting.head = 0;
    waiting.tail = 0;
    memset(out, DUEL_FAR, DUEL_TILES_MAX);
    const uint32_t start = duel_tile_index(duel, tile_x, tile_y);
    out[start] = 0;
    from[start] = (uint16_t)start;
    push(&waiting, start);
    while (waiting.head != waiting.tail) {
        const uint32_t tile = pop(&waiting);
        for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
            const uint32_t next = neighbour(duel, tile, direction);
            if (out[next] == DUEL_FAR && duel->tile[next] == side && out[tile] + 1u < DUEL_FAR) {
                out[next] = (uint8_t)(out[tile] + 1u);
                from[next] = (uint16_t)tile;
                push(&waiting, next);
            }
        }
    }
}
