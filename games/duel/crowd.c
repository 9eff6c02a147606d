// SPDX-License-Identifier: MIT

// Sorts creatures into tiles, and finds the creatures that are hit.

#include <string.h>

#include "duel/blasts.h"
#include "duel/board.h"
#include "duel/enemies.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/waves.h"

enum {
    FUSE_RADIUS = DUEL_TILE * 5 / 2,
    FLASH_TICKS = 6,
};

void duel_crowd_gather(const duel_state *duel, duel_crowd *crowd)
{
    crowd->count = 0;
    bks_pool *pool = bks_ref_get(&duel->enemies);
    if (pool == NULL || duel_pool_count(pool) == 0) {
        return;
    }
    memset(crowd->first, 0, sizeof(crowd->first));
    memset(crowd->standing, 0, sizeof(crowd->standing));
    uint32_t cursor = 0;
    bks_id id = 0;
    for (duel_enemy *enemy; (enemy = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const uint32_t tile = duel_tile_index(duel, enemy->x / DUEL_TILE, enemy->y / DUEL_TILE);
        const uint32_t entry = crowd->count++;
        crowd->enemy[entry] = enemy;
        crowd->id[entry] = id;
        crowd->next[entry] = crowd->first[tile];
        crowd->first[tile] = (uint16_t)(entry + 1);
        crowd->standing[tile] = (uint8_t)(crowd->standing[tile] + (crowd->standing[tile] < 255));
    }
}

static void kill_enemy(duel_state *duel, duel_crowd *crowd, uint32_t entry, uint32_t seat)
{
    const duel_enemy *enemy = crowd->enemy[entry];
    const uint32_t kind = enemy->kind;
    const int32_t x = enemy->x;
    const int32_t y = enemy->y;
    duel_board_colour(duel, duel_tile_of(x), duel_tile_of(y), DUEL_TILE_EMBER);
    duel_particles_burst(duel, x, y, kind == DUEL_ENEMY_BRUTE ? 26 : 7, 120, DUEL_TINT_CREATURE);
    if (kind == DUEL_ENEMY_FUSE) {
        duel_particles_burst(duel, x, y, 14, 200, DUEL_TINT_SPARK);
        duel_blast_add(duel, x, y, FUSE_RADIUS, DUEL_TILE_EMBER, seat, true);
    }
    crowd->enemy[entry] = NULL;
    bks_pool_remove(bks_ref_get(&duel->enemies), crowd->id[entry]);
    duel_waves_count_kill(duel, kind, seat);
}

static void hurt(duel_state *duel, duel_crowd *crowd, uint32_t entry, uint32_t seat)
{
    duel_enemy *enemy = crowd->enemy[entry];
    enemy->flash_ticks = FLASH_TICKS;
    if (--enemy->hits == 0) {
        kill_enemy(duel, crowd, entry, seat);
    }
}

void duel_crowd_hit_shot(duel_state *duel, duel_crowd *crowd, duel_shot *shot)
{
    if (crowd->count == 0) {
        return;
    }
    const int32_t middle_x = duel_tile_of(shot->x);
    const int32_t middle_y = duel_tile_of(shot->y);
    for (int32_t i = 0; i < 9; i++) {
        const int32_t x = middle_x + i % 3 - 1;
        const int32_t y = middle_y + i / 3 - 1;
        if (x < 0 || y < 0 || x >= duel->width || y >= duel->height) {
            continue;
        }
        uint32_t link = crowd->first[duel_tile_index(duel, x, y)];
        for (; link != 0 && shot->strength > 0; link = crowd->next[link - 1]) {
            const duel_enemy *enemy = crowd->enemy[link - 1];
            if (enemy == NULL) {
                continue;
            }
            const int32_t reach = duel_enemy_radius(enemy->kind) + DUEL_SHOT_RADIUS;
            if (duel_is_near(shot->x, shot->y, enemy->x, enemy->y, reach)) {
                shot->strength--;
                hurt(duel, crowd, link - 1, shot->seat);
            }
        }
    }
}

void duel_crowd_hit_circle(duel_state *duel, duel_crowd *crowd, int32_t x, int32_t y,
                           int32_t radius, uint32_t seat)
{
    if (crowd->count == 0) {
        return;
    }
    for (int32_t down = duel_tile_of(y - radius); down <= duel_tile_of(y + radius); down++) {
        for (int32_t over = duel_tile_of(x - radius); over <= duel_tile_of(x + radius); over++) {
            if (over < 0 || down < 0 || over >= duel->width || down >= duel->height) {
                continue;
            }
            uint32_t link = crowd->first[duel_tile_index(duel, over, down)];
            for (; link != 0; link = crowd->next[link - 1]) {
                const duel_enemy *enemy = crowd->enemy[link - 1];
                if (enemy != NULL && duel_is_near(x, y, enemy->x, enemy->y, radius)) {
                    hurt(duel, crowd, link - 1, seat);
                }
            }
        }
    }
}
