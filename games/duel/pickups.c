// SPDX-License-Identifier: MIT

#include "duel/pickups.h"

#include "duel/blasts.h"
#include "duel/board.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/ships.h"

enum {
    TAKE_REACH = 620,
    SPREAD_SHOTS = 5,
    NOVA_RADIUS = DUEL_TILE * 3,
    PLACE_TRIES = 8,
    CLEARANCE = 3 * DUEL_TILE, ///< distance from all ships, so that no ship gets a pickup by
                               ///< standing still
    WAIT_LEAST_TICKS = 5 * 60,
    WAIT_MORE_TICKS = 4 * 60,
};

static bool is_place_free(const duel_state *duel, int32_t tile_x, int32_t tile_y)
{
    if (duel_tile_at(duel, tile_x, tile_y) >= DUEL_TILE_WALL) {
        return false;
    }
    const int32_t x = duel_tile_middle(tile_x);
    const int32_t y = duel_tile_middle(tile_y);
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && duel_is_near(x, y, ship->x, ship->y, CLEARANCE)) {
            return false;
        }
    }
    const bks_pool *pool = bks_ref_get(&duel->pickups);
    uint32_t cursor = 0;
    for (duel_pickup *other; (other = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (other->tile_x == tile_x && other->tile_y == tile_y) {
            return false;
        }
    }
    return true;
}

static void show_up(duel_state *duel)
{
    const uint32_t kind = bks_random_below(&duel->random, DUEL_PICKUP_KINDS);
    for (int try = 0; try < PLACE_TRIES; try++) {
        const int32_t x = (int32_t)bks_random_below(&duel->random, duel->width);
        const int32_t y = (int32_t)bks_random_below(&duel->random, duel->height);
        if (!is_place_free(duel, x, y)) {
            continue;
        }
        void *item = NULL;
        if (bks_pool_add(bks_ref_get(&duel->pickups), &item) != 0) {
            duel_pickup *pickup = item;
            pickup->tile_x = (uint8_t)x;
            pickup->tile_y = (uint8_t)y;
            pickup->kind = (uint8_t)kind;
            pickup->left_ticks = DUEL_PICKUP_LIFE_TICKS;
        }
        return;
    }
}

static void take(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t kind)
{
    switch ((duel_pickup_kind)kind) {
    case DUEL_PICKUP_SPREAD:
        ship->spread_shots = SPREAD_SHOTS;
        break;
    case DUEL_PICKUP_AMMO:
        ship->ammo_max = DUEL_AMMO_EXTRA;
        ship->ammo = DUEL_AMMO_EXTRA;
        break;
    case DUEL_PICKUP_SHIELD:
        ship->has_shield = 1;
        break;
    case DUEL_PICKUP_NOVA:
        duel_blast_add(duel, ship->x, ship->y, NOVA_RADIUS, ship->side, ship->seat, true);
        break;
    case DUEL_PICKUP_KINDS:
        break;
    }
    duel_ship_cue(step, ship, DUEL_CUE_PICKUP, kind);
    duel_particles_burst(duel, ship->x, ship->y, 14, 90, DUEL_TINT_WHITE);
    bks_note(step, "ship %u takes pickup %u", (unsigned)ship->seat, (unsigned)kind);
}

// Return true if a ship on the tile takes the pickup. If there are two, the lower seat gets it.
static bool is_taken(duel_state *duel, const bks_step *step, const duel_pickup *pickup)
{
    const int32_t x = duel_tile_middle(pickup->tile_x);
    const int32_t y = duel_tile_middle(pickup->tile_y);
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && duel_is_near(x, y, ship->x, ship->y, TAKE_REACH)) {
            take(duel, step, ship, pickup->kind);
            return true;
        }
    }
    return false;
}

void duel_pickups_step(duel_state *duel, const bks_step *step)
{
    bks_pool *pool = bks_ref_get(&duel->pickups);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (duel_pickup *pickup; (pickup = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const bool is_lost = duel_tile_at(duel, pickup->tile_x, pickup->tile_y) >= DUEL_TILE_WALL;
        pickup->age_ticks++;
        if (--pickup->left_ticks == 0 || is_lost || is_taken(duel, step, pickup)) {
            bks_pool_remove(pool, id);
        }
    }
    if (duel->phase != DUEL_PHASE_PLAY) {
        return;
    }
    if (duel->pickup_ticks > 0) {
        duel->pickup_ticks--;
    } else {
        duel->pickup_ticks =
            (uint16_t)(WAIT_LEAST_TICKS + bks_random_below(&duel->random, WAIT_MORE_TICKS));
        show_up(duel);
    }
}
