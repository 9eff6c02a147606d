// SPDX-License-Identifier: MIT

#include "duel/shots.h"

#include "duel/board.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/ships.h"

enum {
    HEAVY_SPEED = 320,
    LANE_PULL = 90,     ///< speed at which a shot moves to the middle of its lane
    CANCEL_REACH = 330, ///< more than half of the distance that two shots approach each other in a
                        ///< tick
};

int32_t duel_shot_speed(const duel_shot *shot)
{
    return shot->is_heavy ? HEAVY_SPEED : DUEL_SHOT_SPEED;
}

static void add_lane(duel_state *duel, const duel_ship *ship, uint32_t direction, int32_t lane,
                     bool is_heavy)
{
    const duel_vector ahead = duel_step_of(direction);
    const int32_t tile_x = duel_tile_of(ship->x) - ahead.y * lane;
    const int32_t tile_y = duel_tile_of(ship->y) + ahead.x * lane;
    void *item = NULL;
    if (duel_tile_at(duel, tile_x, tile_y) == DUEL_TILE_WALL ||
        bks_pool_add(bks_ref_get(&duel->shots), &item) == 0) {
        return;
    }
    duel_shot *shot = item;
    shot->x = lane == 0 || ahead.x != 0 ? ship->x : duel_tile_middle(tile_x);
    shot->y = lane == 0 || ahead.y != 0 ? ship->y : duel_tile_middle(tile_y);
    shot->direction = (uint8_t)direction;
    shot->side = ship->side;
    shot->seat = ship->seat;
    shot->is_heavy = is_heavy;
    shot->strength = is_heavy ? 2 : 1;
    if (duel->mode == DUEL_ARCADE) {
        shot->strength = is_heavy ? 7 : 2;
    }
}

void duel_shots_fire(duel_state *duel, const duel_ship *ship, uint32_t direction, bool is_wide,
                     bool is_heavy)
{
    add_lane(duel, ship, direction, 0, is_heavy);
    if (is_wide) {
        add_lane(duel, ship, direction, -1, is_heavy);
        add_lane(duel, ship, direction, 1, is_heavy);
    }
}

// Return the place of a shot in the next tick.
static duel_vector next_of(const duel_shot *shot)
{
    const duel_vector ahead = duel_step_of(shot->direction);
    const int32_t speed = duel_shot_speed(shot);
    const int32_t lane_x = duel_tile_middle(duel_tile_of(shot->x));
    const int32_t lane_y = duel_tile_middle(duel_tile_of(shot->y));
    return (duel_vector){
        ahead.x != 0 ? shot->x + ahead.x * speed : duel_approach(shot->x, lane_x, LANE_PULL),
        ahead.y != 0 ? shot->y + ahead.y * speed : duel_approach(shot->y, lane_y, LANE_PULL)};
}

// Move a shot by one tick. Return false if it hit a wall or left the board.
static bool fly(duel_state *duel, duel_shot *shot)
{
    const duel_vector next = next_of(shot);
    const int32_t x = next.x;
    const int32_t y = next.y;
    if (duel_tile_at(duel, duel_tile_of(x), duel_tile_of(y)) == DUEL_TILE_WALL) {
        duel_particles_burst(duel, shot->x, shot->y, shot->is_heavy ? 10 : 6, 90, DUEL_TINT_SPARK);
        return false;
    }
    shot->x = x;
    shot->y = y;
    shot->age_ticks++;
    if (duel_board_colour(duel, duel_tile_of(x), duel_tile_of(y), shot->side)) {
        const uint32_t tint = DUEL_TINT_EMBER_TILE + duel_rival(shot->side);
        duel_particles_burst(duel, x, y, shot->is_heavy ? 3 : 2, 70, tint);
    }
    return true;
}

// Let shots of the two sides that meet reduce each other's strength.
static void meet_shots(duel_state *duel, duel_shot *shot)
{
    const bks_pool *pool = bks_ref_get(&duel->shots);
    uint32_t cursor = 0;
    for (duel_shot *other; (other = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (shot->strength == 0) {
            return;
        }
        if (other->side == shot->side || other->strength == 0 ||
            !duel_is_near(shot->x, shot->y, other->x, other->y, CANCEL_REACH)) {
            continue;
        }
        const uint8_t wear = shot->strength < other->strength ? shot->strength : other->strength;
        shot->strength = (uint8_t)(shot->strength - wear);
        other->strength = (uint8_t)(other->strength - wear);
        duel_particles_burst(duel, (shot->x + other->x) / 2, (shot->y + other->y) / 2, 10, 100,
                             DUEL_TINT_SPARK);
    }
}

static void meet_ships(duel_state *duel, const bks_step *step, duel_shot *shot)
{
    for (uint32_t seat = 0; seat < duel->ship_count && shot->strength > 0; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && ship->side != shot->side &&
            duel_is_near(shot->x, shot->y, ship->x, ship->y, DUEL_SHIP_RADIUS + DUEL_SHOT_RADIUS)) {
            shot->strength--;
            duel_ship_hit(duel, step, ship, shot->side, shot->seat);
        }
    }
}

void duel_shots_step(duel_state *duel, const bks_step *step, duel_crowd *crowd)
{
    bks_pool *pool = bks_ref_get(&duel->shots);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (duel_shot *shot; (shot = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        if (shot->strength > 0 && !fly(duel, shot)) {
            shot->strength = 0;
        }
        if (shot->strength > 0 && duel->mode == DUEL_VERSUS) {
            meet_shots(duel, shot);
            meet_ships(duel, step, shot);
        } else if (shot->strength > 0) {
            duel_crowd_hit_shot(duel, crowd, shot);
        }
        if (shot->strength == 0) {
            bks_pool_remove(pool, id);
        }
    }
}

void duel_shots_ahead(duel_state *duel, int32_t part)
{
    const bks_pool *pool = bks_ref_get(&duel->shots);
    uint32_t cursor = 0;
    for (duel_shot *shot; (shot = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        const duel_vector next = next_of(shot);
        if (duel_tile_at(duel, duel_tile_of(next.x), duel_tile_of(next.y)) != DUEL_TILE_WALL) {
            shot->x += duel_part(next.x - shot->x, part);
            shot->y += duel_part(next.y - shot->y, part);
        }
    }
}
