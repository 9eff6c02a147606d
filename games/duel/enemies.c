// SPDX-License-Identifier: MIT

#include "duel/enemies.h"

#include "duel/board.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/pathfield.h"
#include "duel/ships.h"

enum {
    GNAW_PART = 3,                   ///< factor by which a creature is slower on a tile of the
                                     ///< ships
    CHASE_REACH = DUEL_TILE * 7 / 4, ///< distance at which a creature runs straight at a ship
    HATCH_TRIES = 8,
    HATCH_CLEARANCE = 6 * DUEL_TILE,
};

typedef struct nature {
    int32_t speed; ///< units a tick in wave 1
    int32_t radius;
    uint8_t hits;
} nature;

static const nature natures[DUEL_ENEMY_KINDS] = {
    [DUEL_ENEMY_MITE] = {.speed = 40, .radius = 230, .hits = 1},
    [DUEL_ENEMY_RUNNER] = {.speed = 68, .radius = 210, .hits = 1},
    [DUEL_ENEMY_FUSE] = {.speed = 32, .radius = 250, .hits = 1},
    [DUEL_ENEMY_BRUTE] = {.speed = 25, .radius = 390, .hits = 5},
};

int32_t duel_enemy_radius(uint32_t kind)
{
    return natures[kind < DUEL_ENEMY_KINDS ? kind : DUEL_ENEMY_MITE].radius;
}

static bool is_ship_near(const duel_state *duel, int32_t x, int32_t y, int32_t reach)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && duel_is_near(ship->x, ship->y, x, y, reach)) {
            return true;
        }
    }
    return false;
}

// Find a tile of the creatures' colour, usually at the edge.
static bool find_nest(duel_state *duel, int32_t *out_x, int32_t *out_y)
{
    bks_random *random = &duel->random;
    for (int try = 0; try < HATCH_TRIES; try++) {
        int32_t x = (int32_t)bks_random_below(random, duel->width);
        int32_t y = (int32_t)bks_random_below(random, duel->height);
        switch (bks_random_below(random, 6)) {
        case 0:
            x = 0;
            break;
        case 1:
            x = duel->width - 1;
            break;
        case 2:
            y = 0;
            break;
        case 3:
            y = duel->height - 1;
            break;
        default:
            break;
        }
        if (duel_tile_at(duel, x, y) < DUEL_TILE_WALL &&
            !is_ship_near(duel, duel_tile_middle(x), duel_tile_middle(y), HATCH_CLEARANCE)) {
            *out_x = x;
            *out_y = y;
            return true;
        }
    }
    return false;
}

static void wander_off(bks_random *random, duel_enemy *enemy)
{
    const uint32_t bits = bks_random_next(random);
    enemy->offset_x = (int8_t)((int32_t)(bits % 81u) - 40);
    enemy->offset_y = (int8_t)((int32_t)((bits >> 16) % 81u) - 40);
}

void duel_enemy_hatch(duel_state *duel, duel_enemy_kind kind)
{
    int32_t x = 0;
    int32_t y = 0;
    void *item = NULL;
    if (!find_nest(duel, &x, &y) || bks_pool_add(bks_ref_get(&duel->enemies), &item) == 0) {
        return;
    }
    duel_enemy *enemy = item;
    enemy->kind = (uint8_t)kind;
    enemy->hits = natures[kind].hits;
    enemy->tile_x = (uint8_t)x;
    enemy->tile_y = (uint8_t)y;
    wander_off(&duel->random, enemy);
    enemy->x = (uint16_t)(duel_tile_middle(x) + enemy->offset_x * 8);
    enemy->y = (uint16_t)(duel_tile_middle(y) + enemy->offset_y * 8);
}

// Choose the next tile: closer to a ship by the path field, around crowds, with a little
// randomness.
static void choose_tile(duel_state *duel, duel_enemy *enemy, const duel_crowd *crowd)
{
    const uint16_t *field = bks_ref_get(&duel->field);
    const uint32_t bits = bks_random_next(&duel->random);
    uint32_t best = UINT32_MAX;
    uint32_t choice = DUEL_NONE;
    for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
        const duel_vector ahead = duel_step_of(direction);
        const int32_t x = enemy->tile_x + ahead.x;
        const int32_t y = enemy->tile_y + ahead.y;
        if (duel_tile_at(duel, x, y) >= DUEL_TILE_WALL) {
            continue;
        }
        const uint32_t tile = duel_tile_index(duel, x, y);
        const uint32_t crowding = crowd->count > 0 ? crowd->standing[tile] : 0;
        const uint32_t cost = field[tile] * 4u + crowding + ((bits >> (direction * 3)) & 7u);
        if (cost < best) {
            best = cost;
            choice = direction;
        }
    }
    const duel_vector ahead = duel_step_of(choice);
    enemy->tile_x = (uint8_t)(enemy->tile_x + ahead.x);
    enemy->tile_y = (uint8_t)(enemy->tile_y + ahead.y);
    wander_off(&duel->random, enemy);
}

static void arrive(duel_state *duel, duel_enemy *enemy, const duel_crowd *crowd)
{
    duel_board_colour(duel, enemy->tile_x, enemy->tile_y, DUEL_TILE_TIDE);
    if (enemy->kind == DUEL_ENEMY_BRUTE) {
        for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
            const duel_vector ahead = duel_step_of(direction);
            duel_board_colour(duel, enemy->tile_x + ahead.x, enemy->tile_y + ahead.y,
                              DUEL_TILE_TIDE);
        }
    }
    choose_tile(duel, enemy, crowd);
}

static int32_t speed_of(const duel_state *duel, const duel_enemy *enemy)
{
    const int32_t eager = duel->wave < 30 ? duel->wave : 30;
    const int32_t speed = natures[enemy->kind].speed + eager * natures[enemy->kind].speed / 60;
    const duel_tile under = duel_tile_at(duel, enemy->tile_x, enemy->tile_y);
    return under == DUEL_TILE_EMBER ? speed / GNAW_PART : speed;
}

static void walk(duel_state *duel, duel_enemy *enemy, const duel_crowd *crowd)
{
    const int32_t speed = speed_of(duel, enemy);
    const int32_t dx = duel_tile_middle(enemy->tile_x) + enemy->offset_x * 8 - enemy->x;
    const int32_t dy = duel_tile_middle(enemy->tile_y) + enemy->offset_y * 8 - enemy->y;
    const int32_t length = duel_length(dx, dy);
    if (length <= speed) {
        arrive(duel, enemy, crowd);
        return;
    }
    enemy->vx = (int16_t)(dx * speed / length);
    enemy->vy = (int16_t)(dy * speed / length);
    enemy->x = (uint16_t)(enemy->x + enemy->vx);
    enemy->y = (uint16_t)(enemy->y + enemy->vy);
}

// Run at a ship that is near, across all tiles, and hit it on contact. Return true if the creature
// does so.
static bool chase(duel_state *duel, const bks_step *step, duel_enemy *enemy)
{
    const int32_t touch = duel_enemy_radius(enemy->kind) + DUEL_SHIP_RADIUS - 60;
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (!ship->is_alive || !duel_is_near(ship->x, ship->y, enemy->x, enemy->y, CHASE_REACH)) {
            continue;
        }
        if (duel_is_near(ship->x, ship->y, enemy->x, enemy->y, touch)) {
            duel_ship_hit(duel, step, ship, DUEL_TILE_TIDE, DUEL_NOBODY);
            return true;
        }
        const int32_t speed = speed_of(duel, enemy);
        const int32_t length = duel_length(ship->x - enemy->x, ship->y - enemy->y);
        const int32_t x = enemy->x + (ship->x - enemy->x) * speed / length;
        const int32_t y = enemy->y + (ship->y - enemy->y) * speed / length;
        const int32_t tile_x = duel_tile_of(x);
        const int32_t tile_y = duel_tile_of(y);
        if (duel_tile_at(duel, tile_x, tile_y) >= DUEL_TILE_WALL) {
            return false;
        }
        enemy->vx = (int16_t)(x - enemy->x);
        enemy->vy = (int16_t)(y - enemy->y);
        enemy->x = (uint16_t)x;
        enemy->y = (uint16_t)y;
        enemy->tile_x = (uint8_t)tile_x;
        enemy->tile_y = (uint8_t)tile_y;
        return true;
    }
    return false;
}

void duel_enemies_step(duel_state *duel, const bks_step *step, const duel_crowd *crowd)
{
    bks_pool *pool = bks_ref_get(&duel->enemies);
    if (pool == NULL) {
        return;
    }
    duel_field_step(duel);
    uint32_t cursor = 0;
    for (duel_enemy *enemy; (enemy = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        enemy->age_ticks = (uint8_t)(enemy->age_ticks + (enemy->age_ticks < 255));
        enemy->flash_ticks = (uint8_t)(enemy->flash_ticks - (enemy->flash_ticks > 0));
        if (enemy->age_ticks >= DUEL_HATCH_TICKS && !chase(duel, step, enemy)) {
            walk(duel, enemy, crowd);
        }
    }
}

// Return true if a creature reaches its tile in this tick and stops for a tick. A creature that
// runs at a ship is in its tile already.
static bool is_arriving(const duel_state *duel, const duel_enemy *enemy)
{
    const int32_t speed = speed_of(duel, enemy);
    return duel_is_near(duel_tile_middle(enemy->tile_x) + enemy->offset_x * 8,
                        duel_tile_middle(enemy->tile_y) + enemy->offset_y * 8, enemy->x, enemy->y,
                        speed + 1);
}

void duel_enemies_ahead(duel_state *duel, int32_t part)
{
    const bks_pool *pool = bks_ref_get(&duel->enemies);
    uint32_t cursor = 0;
    for (duel_enemy *enemy; (enemy = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (enemy->age_ticks + 1 >= DUEL_HATCH_TICKS && !is_arriving(duel, enemy)) {
            enemy->x = (uint16_t)(enemy->x + duel_part(enemy->vx, part));
            enemy->y = (uint16_t)(enemy->y + duel_part(enemy->vy, part));
        }
    }
}
