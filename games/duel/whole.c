// SPDX-License-Identifier: MIT

#include "duel/whole.h"

#include "duel/board.h"
#include "duel/ships.h"
#include "duel/weapon.h"

static bool is_on_board(const duel_state *duel, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < duel->width * DUEL_TILE && y < duel->height * DUEL_TILE;
}

static bool is_frame_whole(const duel_state *duel)
{
    const bool is_arcade = duel->mode == DUEL_ARCADE;
    const uint32_t width = is_arcade ? DUEL_ARCADE_WIDTH : DUEL_VERSUS_WIDTH;
    const uint32_t height = is_arcade ? DUEL_ARCADE_HEIGHT : DUEL_VERSUS_HEIGHT;
    return duel->mode <= DUEL_ARCADE && duel->width == width && duel->height == height &&
           is_arcade == (bks_ref_get(&duel->enemies) != NULL) && duel->map < DUEL_MAPS &&
           duel->seats >= 1 && duel->seats <= duel->ship_count &&
           duel->ship_count == bks_pool_count(bks_ref_get(&duel->ships)) &&
           duel->phase <= DUEL_PHASE_MATCH_OVER && duel->wave <= DUEL_WAVE_MAX &&
           duel->wave_first <= DUEL_WAVE_MAX && duel->rings_gone <= (duel->height + 1) / 2 &&
           (duel->round_winner < DUEL_SIDES || duel->round_winner == DUEL_NOBODY);
}

static bool are_tiles_whole(const duel_state *duel)
{
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        if (duel->tile[i] > DUEL_TILE_VOID) {
            return false;
        }
    }
    return true;
}

static bool are_ships_whole(const duel_state *duel)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship == NULL || ship->seat != seat || ship->side >= DUEL_SIDES ||
            ship->held_direction > DUEL_WEST || ship->facing > DUEL_WEST ||
            ship->ammo_max > DUEL_AMMO_EXTRA || ship->ammo > ship->ammo_max ||
            !is_on_board(duel, ship->x, ship->y) || ship->vx < -DUEL_SHIP_SPEED ||
            ship->vx > DUEL_SHIP_SPEED || ship->vy < -DUEL_SHIP_SPEED ||
            ship->vy > DUEL_SHIP_SPEED || ship->heading_x < -DUEL_TILE ||
            ship->heading_x > DUEL_TILE || ship->heading_y < -DUEL_TILE ||
            ship->heading_y > DUEL_TILE) {
            return false;
        }
    }
    return true;
}

static bool are_shots_whole(const duel_state *duel)
{
    uint32_t cursor = 0;
    bks_pool *pool = bks_ref_get(&duel->shots);
    for (const duel_shot *shot; (shot = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (!is_on_board(duel, shot->x, shot->y) || shot->direction < DUEL_NORTH ||
            shot->direction > DUEL_WEST || shot->side >= DUEL_SIDES ||
            shot->seat >= duel->ship_count) {
            return false;
        }
    }
    cursor = 0;
    pool = bks_ref_get(&duel->blasts);
    for (const duel_blast *blast; (blast = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (!is_on_board(duel, blast->x, blast->y) || blast->side >= DUEL_SIDES ||
            (blast->seat >= duel->ship_count && blast->seat != DUEL_NOBODY)) {
            return false;
        }
    }
    return true;
}

static bool are_things_whole(const duel_state *duel)
{
    uint32_t cursor = 0;
    bks_pool *pool = bks_ref_get(&duel->pickups);
    for (const duel_pickup *pickup; (pickup = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (pickup->tile_x >= duel->width || pickup->tile_y >= duel->height ||
            pickup->kind >= DUEL_PICKUP_KINDS) {
            return false;
        }
    }
    cursor = 0;
    pool = bks_ref_get(&duel->particles);
    for (const duel_particle *bit; (bit = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (bit->colour >= DUEL_TINTS || bit->life_ticks == 0) {
            return false;
        }
    }
    cursor = 0;
    pool = bks_ref_get(&duel->enemies);
    for (const duel_enemy *enemy; (enemy = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (!is_on_board(duel, enemy->x, enemy->y) || enemy->kind >= DUEL_ENEMY_KINDS ||
            enemy->tile_x >= duel->width || enemy->tile_y >= duel->height) {
            return false;
        }
    }
    return true;
}

bool duel_is_whole(const duel_state *duel)
{
    return is_frame_whole(duel) && are_tiles_whole(duel) && are_ships_whole(duel) &&
           are_shots_whole(duel) && are_things_whole(duel);
}
