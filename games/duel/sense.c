// SPDX-License-Identifier: MIT

#include "duel/sense.h"

#include <string.h>

#include "duel/board.h"
#include "duel/shots.h"

enum {
    NOISE_EVERY_TICKS = 16,
    NEAR_REACH = 4 * DUEL_TILE,
    LANE_HALF = 480,
    WIDE_HALF = 1450,
    HUNT_EACH = 8,
    LANE_REACH = 10, // length of a lane, in tiles
    LOOK_AHEAD_TICKS = 27,
    LOOK_EVERY_TICKS = 3,
    START_LAG_TICKS = 3, // ticks until a ship follows a new course
};

uint32_t duel_stir(uint32_t a, uint32_t b)
{
    uint32_t bits = a * 2654435769u + b * 2246822519u + 374761393u;
    bits ^= bits >> 15;
    bits *= 2246822519u;
    return bits ^ (bits >> 13);
}

uint32_t duel_main_direction(int32_t x, int32_t y)
{
    const int32_t size_x = x < 0 ? -x : x;
    const int32_t size_y = y < 0 ? -y : y;
    if (size_x > size_y) {
        return x < 0 ? DUEL_WEST : DUEL_EAST;
    }
    return y < 0 ? DUEL_NORTH : DUEL_SOUTH;
}

bool duel_sense_is_clear(const duel_state *duel, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const int32_t dx = (x1 > x0) - (x1 < x0);
    const int32_t dy = (y1 > y0) - (y1 < y0);
    while (x0 != x1 || y0 != y1) {
        if (duel_tile_at(duel, x0, y0) == DUEL_TILE_WALL) {
            return false;
        }
        x0 += x0 != x1 ? dx : 0;
        y0 += y0 != y1 ? dy : 0;
    }
    return true;
}

static void weigh_creature(duel_sense *sense, const duel_enemy *enemy)
{
    const int32_t dx = enemy->x - sense->me->x;
    const int32_t dy = enemy->y - sense->me->y;
    const uint32_t direction = duel_main_direction(dx, dy);
    const bool is_across = direction == DUEL_EAST || direction == DUEL_WEST;
    const int32_t ahead = is_across ? dx : dy;
    const int32_t aside = is_across ? enemy->y - duel_tile_middle(sense->tile_y)
                                    : enemy->x - duel_tile_middle(sense->tile_x);
    const int32_t far = (ahead < 0 ? -ahead : ahead) / DUEL_TILE;
    const int32_t off = aside < 0 ? -aside : aside;
    if (far >= LANE_REACH || off > WIDE_HALF) {
        return;
    }
    const uint32_t worth = (uint32_t)(LANE_REACH + 2 - far);
    sense->wide_weight[direction] += worth;
    sense->weight[direction] += off < LANE_HALF ? worth : 0;
}

static void see_creatures(duel_sense *sense)
{
    const bks_pool *pool = bks_ref_get(&sense->duel->enemies);
    uint32_t cursor = 0;
    for (const duel_enemy *enemy; (enemy = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (sense->near_count < DUEL_NEAR_MAX &&
            duel_is_near(enemy->x, enemy->y, sense->me->x, sense->me->y, NEAR_REACH)) {
            sense->near[sense->near_count++] = enemy;
        }
        weigh_creature(sense, enemy);
    }
}

void duel_sense_gather(duel_sense *sense, const duel_state *duel, uint32_t seat)
{
    memset(sense, 0, sizeof(*sense));
    sense->duel = duel;
    sense->me = duel_ship_of(duel, seat);
    sense->tile_x = duel_tile_of(sense->me->x);
    sense->tile_y = duel_tile_of(sense->me->y);
    sense->noise = duel_stir(duel->tick / NOISE_EVERY_TICKS + duel->match * 7919u, seat);
    for (uint32_t other = 0; other < duel->ship_count; other++) {
        const duel_ship *ship = duel_ship_of(duel, other);
        if (ship->is_alive && ship->side != sense->me->side) {
            sense->rival[sense->rival_count++] = ship;
        }
    }
    const bks_pool *shots = bks_ref_get(&duel->shots);
    uint32_t cursor = 0;
    for (const duel_shot *shot; (shot = duel_pool_next(shots, &cursor, NULL)) != NULL;) {
        if (shot->side != sense->me->side && shot->strength > 0) {
            sense->shot[sense->shot_count++] = shot;
        }
    }
    see_creatures(sense);
    sense->is_hunting =
        duel_pool_count(bks_ref_get(&duel->enemies)) <= HUNT_EACH * duel->ship_count;
    duel_threat_distance(duel, sense->me->side, sense->threat);
    duel_reach(duel, sense->me->side, sense->tile_x, sense->tile_y, sense->reach, sense->from);
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        sense->reach_count += sense->reach[i] != DUEL_FAR;
    }
}

static uint32_t danger_at(const duel_sense *sense, int32_t x, int32_t y, int32_t ticks)
{
    const uint32_t urgency = (uint32_t)(LOOK_AHEAD_TICKS + 3 - ticks);
    uint32_t danger = 0;
    for (uint32_t i = 0; i < sense->shot_count; i++) {
        const duel_shot *shot = sense->shot[i];
        const duel_vector ahead = duel_step_of(shot->direction);
        const int32_t way = duel_shot_speed(shot) * ticks;
        const int32_t reach = DUEL_SHIP_RADIUS + DUEL_SHOT_RADIUS + 130;
        if (duel_is_near(shot->x + ahead.x * way, shot->y + ahead.y * way, x, y, reach)) {
            danger += 8u * urgency;
        }
    }
    for (uint32_t i = 0; i < sense->near_count; i++) {
        const duel_enemy *enemy = sense->near[i];
        const int32_t to_x = enemy->x + enemy->vx * ticks;
        const int32_t to_y = enemy->y + enemy->vy * ticks;
        if (duel_is_near(to_x, to_y, x, y, DUEL_SHIP_RADIUS + 700)) {
            danger += urgency;
        }
    }
    return danger;
}

uint32_t duel_sense_danger(const duel_sense *sense, int32_t vx, int32_t vy)
{
    int32_t x = sense->me->x;
    int32_t y = sense->me->y;
    uint32_t danger = 0;
    for (int32_t ticks = LOOK_EVERY_TICKS; ticks <= LOOK_AHEAD_TICKS; ticks += LOOK_EVERY_TICKS) {
        const int32_t moved = ticks - START_LAG_TICKS;
        const int32_t to_x = sense->me->x + vx * moved;
        const int32_t to_y = sense->me->y + vy * moved;
        // The ship slides or stops where its tiles end.
        if (duel_tile_is_open(sense->duel, sense->me->side, duel_tile_of(to_x), duel_tile_of(y))) {
            x = to_x;
        }
        if (duel_tile_is_open(sense->duel, sense->me->side, duel_tile_of(x), duel_tile_of(to_y))) {
            y = to_y;
        }
        danger += danger_at(sense, x, y, ticks);
    }
    return danger;
}
