// SPDX-License-Identifier: MIT

// Chooses the tile that a pilot flies to.

#include "duel/board.h"
#include "duel/rounds.h"
#include "duel/sense.h"

enum {
    REACH_MOST = 18, ///< longest way, in tiles
    COLLAPSE_SOON_TICKS = 150,
    FLEE_DISTANCE = 9,
    HUNT_DISTANCE = 5,
};

static int32_t size(int32_t value)
{
    return value < 0 ? -value : value;
}

// Rate a tile by the rivals. Best is a tile in a lane with a rival, at a distance that leaves time
// to dodge.
static int32_t value_of_rivals(const duel_sense *sense, int32_t x, int32_t y)
{
    int32_t value = 0;
    for (uint32_t i = 0; i < sense->rival_count; i++) {
        const int32_t rival_x = duel_tile_of(sense->rival[i]->x);
        const int32_t rival_y = duel_tile_of(sense->rival[i]->y);
        const int32_t dx = size(rival_x - x);
        const int32_t dy = size(rival_y - y);
        if (dx + dy < 3) {
            value -= 60;
        } else if ((dx == 0 || dy == 0) && dx + dy <= 11 &&
                   duel_sense_is_clear(sense->duel, x, y, rival_x, rival_y)) {
            value += 60 - (dx + dy) * 2;
        } else {
            value -= dx + dy;
        }
    }
    return value;
}

static int32_t value_of_shots(const duel_sense *sense, int32_t x, int32_t y)
{
    int32_t value = 0;
    for (uint32_t i = 0; i < sense->shot_count; i++) {
        const duel_vector ahead = duel_step_of(sense->shot[i]->direction);
        const int32_t dx = x - duel_tile_of(sense->shot[i]->x);
        const int32_t dy = y - duel_tile_of(sense->shot[i]->y);
        const bool is_in_lane = ahead.x != 0 ? dy == 0 : dx == 0;
        if (is_in_lane && dx * ahead.x + dy * ahead.y > 0) {
            value -= 120;
        }
    }
    return value;
}

static int32_t value_of_pickups(const duel_sense *sense, int32_t x, int32_t y)
{
    const bks_pool *pool = bks_ref_get(&sense->duel->pickups);
    int32_t value = 0;
    uint32_t cursor = 0;
    for (const duel_pickup *pickup; (pickup = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        const int32_t far = size(pickup->tile_x - x) + size(pickup->tile_y - y);
        value += far == 0 ? 130 : far < 5 ? 10 : 0;
    }
    return value;
}

static int32_t value_of_mates(const duel_sense *sense, int32_t x, int32_t y)
{
    int32_t value = 0;
    for (uint32_t seat = 0; seat < sense->duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(sense->duel, seat);
        const int32_t far = size(duel_tile_of(ship->x) - x) + size(duel_tile_of(ship->y) - y);
        if (ship != sense->me && ship->is_alive && ship->side == sense->me->side && far < 3) {
            value -= 30;
        }
    }
    return value;
}

// Rate a tile by the room to dodge, and by whether the ground will stay.
static int32_t value_of_ground(const duel_sense *sense, int32_t x, int32_t y)
{
    const duel_state *duel = sense->duel;
    int32_t value = 0;
    for (int32_t i = 0; i < 9; i++) {
        value += duel_tile_is_open(duel, sense->me->side, x + i % 3 - 1, y + i / 3 - 1) ? 5 : 0;
    }
    const uint32_t left = duel_rounds_collapse_in(duel);
    const uint32_t ring = duel_board_ring(duel, x, y);
    if (left != UINT32_MAX && ring <= duel->rings_gone) {
        value -= left < COLLAPSE_SOON_TICKS ? 2000 : 30;
    }
    return value;
}

// Rate a tile by its distance from creatures: far is better, unless few are left to hunt.
static int32_t value_of_threat(const duel_sense *sense, int32_t distance)
{
    if (sense->is_hunting && distance > HUNT_DISTANCE) {
        return 30 * HUNT_DISTANCE - 7 * (distance - HUNT_DISTANCE);
    }
    return 30 * (distance < FLEE_DISTANCE ? distance : FLEE_DISTANCE);
}

static int32_t value_of_tile(const duel_sense *sense, uint32_t tile)
{
    const int32_t x = (int32_t)(tile % sense->duel->width);
    const int32_t y = (int32_t)(tile / sense->duel->width);
    int32_t value = -6 * sense->reach[tile] + value_of_ground(sense, x, y) +
                    value_of_pickups(sense, x, y) + value_of_mates(sense, x, y) +
                    (int32_t)(duel_stir(tile, sense->noise) % 16u);
    if (sense->duel->mode == DUEL_ARCADE) {
        return value + value_of_threat(sense, sense->threat[tile]);
    }
    return value + value_of_rivals(sense, x, y) + value_of_shots(sense, x, y);
}

uint32_t duel_choose_goal(const duel_sense *sense)
{
    const uint32_t start = duel_tile_index(sense->duel, sense->tile_x, sense->tile_y);
    uint32_t best = start;
    int32_t best_value = INT32_MIN;
    for (uint32_t i = 0; i < duel_board_tiles(sense->duel); i++) {
        if (sense->reach[i] > REACH_MOST) {
            continue;
        }
        const int32_t value = value_of_tile(sense, i);
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return best;
}
