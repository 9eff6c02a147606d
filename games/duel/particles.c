// SPDX-License-Identifier: MIT

#include "duel/particles.h"

#include "duel/board.h"
#include "duel/motion.h"

void duel_particles_burst(duel_state *duel, int32_t x, int32_t y, uint32_t count,
                          uint32_t speed_max, uint32_t tint)
{
    bks_pool *pool = bks_ref_get(&duel->particles);
    bks_random *random = &duel->fx_random;
    for (uint32_t i = 0; i < count; i++) {
        void *item = NULL;
        if (bks_pool_add(pool, &item) == 0) {
            return;
        }
        duel_particle *particle = item;
        const uint32_t bits = bks_random_next(random);
        const duel_vector turn = duel_turn(bits & 31u);
        const int32_t speed = (int32_t)(speed_max / 5 + (bits >> 8) % speed_max);
        particle->x = (uint16_t)x;
        particle->y = (uint16_t)y;
        particle->vx = (int16_t)(turn.x * speed / 256);
        particle->vy = (int16_t)(turn.y * speed / 256);
        particle->life_ticks = (uint8_t)(24 + ((bits >> 5) & 31u));
        particle->left_ticks = particle->life_ticks;
        particle->colour = (uint8_t)tint;
        particle->size = (uint8_t)(7 + ((bits >> 20) & 15u));
        particle->angle = (uint8_t)(bits >> 24);
        particle->spin = (int8_t)((int32_t)((bits >> 12) & 15u) - 8);
    }
}

static bool is_solid(const duel_state *duel, int32_t x, int32_t y)
{
    return duel_tile_at(duel, duel_tile_of(x), duel_tile_of(y)) == DUEL_TILE_WALL;
}

// Slow down by a sixteenth and one unit, so that a particle comes to rest.
static int16_t slowed(int32_t speed)
{
    return (int16_t)duel_approach(speed - speed / 16, 0, 1);
}

static void fly(const duel_state *duel, duel_particle *particle)
{
    int32_t x = particle->x + particle->vx;
    int32_t y = particle->y;
    if (is_solid(duel, x, y)) {
        x = particle->x;
        particle->vx = (int16_t)(-particle->vx * 3 / 4);
    }
    y += particle->vy;
    if (is_solid(duel, x, y)) {
        y = particle->y;
        particle->vy = (int16_t)(-particle->vy * 3 / 4);
    }
    particle->x = (uint16_t)x;
    particle->y = (uint16_t)y;
    particle->vx = slowed(particle->vx);
    particle->vy = slowed(particle->vy);
    particle->angle = (uint8_t)(particle->angle + particle->spin);
}

void duel_particles_step(duel_state *duel)
{
    bks_pool *pool = bks_ref_get(&duel->particles);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (duel_particle *particle; (particle = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        if (--particle->left_ticks == 0) {
            bks_pool_remove(pool, id);
            continue;
        }
        fly(duel, particle);
    }
}

void duel_particles_ahead(duel_state *duel, int32_t part)
{
    const bks_pool *pool = bks_ref_get(&duel->particles);
    uint32_t cursor = 0;
    for (duel_particle *particle; (particle = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        const int32_t x = particle->x + duel_part(particle->vx, part);
        const int32_t y = particle->y + duel_part(particle->vy, part);
        if (!is_solid(duel, x, y)) { // otherwise it bounces in the next tick
            particle->x = (uint16_t)x;
            particle->y = (uint16_t)y;
        }
        particle->angle = (uint8_t)(particle->angle + duel_part(particle->spin, part));
    }
}
