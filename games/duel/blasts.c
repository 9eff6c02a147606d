// SPDX-License-Identifier: MIT

#include "duel/blasts.h"

#include "duel/board.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/ships.h"

enum {
    GROWTH = 112, ///< least growth, in units a tick
    SHAKE_TICKS = 14,
};

void duel_blast_add(duel_state *duel, int32_t x, int32_t y, int32_t radius_max, uint32_t side,
                    uint32_t seat, bool is_deadly)
{
    void *item = NULL;
    if (bks_pool_add(bks_ref_get(&duel->blasts), &item) == 0) {
        return;
    }
    duel_blast *blast = item;
    blast->x = (uint16_t)x;
    blast->y = (uint16_t)y;
    blast->radius_max = (uint16_t)radius_max;
    blast->speed = (uint16_t)(GROWTH + radius_max / 24);
    blast->side = (uint8_t)side;
    blast->seat = (uint8_t)seat;
    blast->is_deadly = is_deadly;
    if (radius_max >= 2 * DUEL_TILE && duel->shake_ticks < SHAKE_TICKS) {
        duel->shake_ticks = SHAKE_TICKS;
    }
}

static void colour_tiles(duel_state *duel, const duel_blast *blast)
{
    const int32_t reach = blast->radius / DUEL_TILE + 1;
    const int32_t middle_x = duel_tile_of(blast->x);
    const int32_t middle_y = duel_tile_of(blast->y);
    for (int32_t y = middle_y - reach; y <= middle_y + reach; y++) {
        for (int32_t x = middle_x - reach; x <= middle_x + reach; x++) {
            const int32_t at_x = duel_tile_middle(x);
            const int32_t at_y = duel_tile_middle(y);
            if (duel_is_near(blast->x, blast->y, at_x, at_y, blast->radius) &&
                duel_board_colour(duel, x, y, blast->side)) {
                const uint32_t tint = DUEL_TINT_EMBER_TILE + duel_rival(blast->side);
                duel_particles_burst(duel, at_x, at_y, 2, 60, tint);
            }
        }
    }
}

static void kill_ships(duel_state *duel, const bks_step *step, const duel_blast *blast)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive && ship->side != blast->side &&
            duel_is_near(ship->x, ship->y, blast->x, blast->y, blast->radius)) {
            duel_ship_hit(duel, step, ship, blast->side, blast->seat);
        }
    }
}

void duel_blasts_step(duel_state *duel, const bks_step *step, duel_crowd *crowd)
{
    bks_pool *pool = bks_ref_get(&duel->blasts);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (duel_blast *blast; (blast = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const uint32_t radius = (uint32_t)blast->radius + blast->speed;
        blast->radius = (uint16_t)(radius < blast->radius_max ? radius : blast->radius_max);
        colour_tiles(duel, blast);
        if (blast->is_deadly) {
            kill_ships(duel, step, blast);
            duel_crowd_hit_circle(duel, crowd, blast->x, blast->y, blast->radius, blast->seat);
        }
        if (blast->radius == blast->radius_max) {
            bks_pool_remove(pool, id);
        }
    }
}

void duel_blasts_ahead(duel_state *duel, int32_t part)
{
    const bks_pool *pool = bks_ref_get(&duel->blasts);
    uint32_t cursor = 0;
    for (duel_blast *blast; (blast = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        const int32_t radius = blast->radius + duel_part(blast->speed, part);
        blast->radius = (uint16_t)(radius < blast->radius_max ? radius : blast->radius_max);
    }
}
