// SPDX-License-Identifier: MIT

#include "duel/check.h"

#include "duel/board.h"
#include "duel/ships.h"
#include "duel/weapon.h"

enum {
    BLAST_RADIUS_MAX = 4 * DUEL_TILE, // more than any explosion has
    ENEMY_OFFSET_MAX = 40,            // a creature stays within its tile
};

static bool is_on_board(const duel_state *duel, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < duel->width * DUEL_TILE && y < duel->height * DUEL_TILE;
}

static bool is_within(int32_t value, int32_t most)
{
    return value >= -most && value <= most;
}

// Return true if the pools are valid. Each is checked by its name, so no two references lead to the
// same pool.
static bool are_pools_sound(const duel_state *duel)
{
    const bool is_arcade = duel->mode == DUEL_ARCADE;
    const uint32_t particles = is_arcade ? DUEL_ARCADE_PARTICLES_MAX : DUEL_VERSUS_PARTICLES_MAX;
    if (duel->mode > DUEL_ARCADE ||
        !bks_ref_is_pool(&duel->ships, "ships", sizeof(duel_ship), DUEL_SEATS) ||
        !bks_ref_is_pool(&duel->shots, "shots", sizeof(duel_shot), DUEL_SHOTS_MAX) ||
        !bks_ref_is_pool(&duel->blasts, "blasts", sizeof(duel_blast), DUEL_BLASTS_MAX) ||
        !bks_ref_is_pool(&duel->pickups, "pickups", sizeof(duel_pickup), DUEL_PICKUPS_MAX) ||
        !bks_ref_is_pool(&duel->particles, "particles", sizeof(duel_particle), particles)) {
        return false;
    }
    if (!is_arcade) {
        return duel->enemies.distance_bytes == 0 && duel->field.distance_bytes == 0;
    }
    return bks_ref_is_pool(&duel->enemies, "enemies", sizeof(duel_enemy), DUEL_ENEMIES_MAX) &&
           bks_ref_in_arena(&duel->field, DUEL_TILES_MAX * sizeof(uint16_t), sizeof(uint16_t));
}

static bool is_frame_sound(const duel_state *duel)
{
    const bool is_arcade = duel->mode == DUEL_ARCADE;
    const uint32_t width = is_arcade ? DUEL_ARCADE_WIDTH : DUEL_VERSUS_WIDTH;
    const uint32_t height = is_arcade ? DUEL_ARCADE_HEIGHT : DUEL_VERSUS_HEIGHT;
    return duel->width == width && duel->height == height && duel->map < DUEL_MAPS &&
           duel->seats >= 1 && duel->seats <= duel->ship_count &&
           duel->ship_count == bks_pool_count(bks_ref_get(&duel->ships)) &&
           duel->phase <= DUEL_PHASE_MATCH_OVER && duel->wave <= DUEL_WAVE_MAX &&
           duel->wave_first <= DUEL_WAVE_MAX && duel->rings_gone <= (duel->height + 1) / 2 &&
           (duel->round_winner < DUEL_SIDES || duel->round_winner == DUEL_NOBODY);
}

static bool are_tiles_sound(const duel_state *duel)
{
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        if (duel->tile[i] > DUEL_TILE_VOID) {
            return false;
        }
    }
    return true;
}

static bool are_ships_sound(const duel_state *duel)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship == NULL || ship->seat != seat || ship->side >= DUEL_SIDES ||
            ship->held_direction > DUEL_WEST || ship->facing > DUEL_WEST ||
            ship->ammo_max > DUEL_AMMO_EXTRA || ship->ammo > ship->ammo_max ||
            !is_on_board(duel, ship->x, ship->y) || !is_within(ship->vx, DUEL_SHIP_SPEED) ||
            !is_within(ship->vy, DUEL_SHIP_SPEED) || !is_within(ship->heading_x, DUEL_TILE) ||
            !is_within(ship->heading_y, DUEL_TILE)) {
            return false;
        }
    }
    return true;
}

static bool are_shots_sound(const duel_state *duel)
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
    return true;
}

static bool are_blasts_sound(const duel_state *duel)
{
    uint32_t cursor = 0;
    bks_pool *pool = bks_ref_get(&duel->blasts);
    for (const duel_blast *blast; (blast = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (!is_on_board(duel, blast->x, blast->y) || blast->side >= DUEL_SIDES ||
            blast->radius_max == 0 || blast->radius_max > BLAST_RADIUS_MAX ||
            blast->radius > blast->radius_max ||
            (blast->seat >= duel->ship_count && blast->seat != DUEL_NOBODY)) {
            return false;
        }
    }
    return true;
}

static bool are_things_sound(const duel_state *duel)
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
    return true;
}

static bool are_creatures_sound(const duel_state *duel)
{
    uint32_t cursor = 0;
    const bks_pool *pool = duel->mode == DUEL_ARCADE ? bks_ref_get(&duel->enemies) : NULL;
    for (const duel_enemy *enemy;
         pool != NULL && (enemy = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        if (!is_on_board(duel, enemy->x, enemy->y) || enemy->kind >= DUEL_ENEMY_KINDS ||
            enemy->tile_x >= duel->width || enemy->tile_y >= duel->height ||
            !is_within(enemy->offset_x, ENEMY_OFFSET_MAX) ||
            !is_within(enemy->offset_y, ENEMY_OFFSET_MAX)) {
            return false;
        }
    }
    return true;
}

const char *duel_check(const void *state)
{
    const duel_state *duel = state;
    if (!are_pools_sound(duel)) {
        return "a reference does not lead to the pool or the field it is for";
    }
    if (!is_frame_sound(duel)) {
        return "mode, board, seats or phase contradict each other";
    }
    if (!are_tiles_sound(duel)) {
        return "a tile is of no kind";
    }
    if (!are_ships_sound(duel)) {
        return "a ship is missing or out of its range";
    }
    if (!are_shots_sound(duel)) {
        return "a shot is out of its range";
    }
    if (!are_blasts_sound(duel)) {
        return "a blast is out of its range";
    }
    if (!are_things_sound(duel)) {
        return "a pickup or a particle is out of its range";
    }
    return are_creatures_sound(duel) ? NULL : "a creature is out of its range";
}
