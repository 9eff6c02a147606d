// SPDX-License-Identifier: MIT

// Draws creatures, debris and explosions.

#include "duel/draw_between.h"
#include "duel/draw_layers.h"
#include "duel/enemies.h"
#include "duel/motion.h"

enum {
    DETAIL_MAX = 500, ///< number of creatures up to which details are drawn; in a larger crowd
                      ///< nobody sees them
};

static const float hexagon[6][2] = {{1.0f, 0.0f},  {0.5f, 0.85f},   {-0.5f, 0.85f},
                                    {-1.0f, 0.0f}, {-0.5f, -0.85f}, {0.5f, -0.85f}};
static const float wedge[3][2] = {{1.4f, 0.0f}, {-0.8f, 0.85f}, {-0.8f, -0.85f}};
static const float octagon[8][2] = {{1.0f, 0.4f},   {0.4f, 1.0f},   {-0.4f, 1.0f}, {-1.0f, 0.4f},
                                    {-1.0f, -0.4f}, {-0.4f, -1.0f}, {0.4f, -1.0f}, {1.0f, -0.4f}};

static bks_colour creature_colour(const duel_enemy *enemy)
{
    if (enemy->flash_ticks > 0) {
        return 0xFFFFFFFF;
    }
    switch ((duel_enemy_kind)enemy->kind) {
    case DUEL_ENEMY_FUSE:
        return DUEL_COLOUR_FUSE;
    case DUEL_ENEMY_BRUTE:
        return DUEL_COLOUR_BRUTE;
    case DUEL_ENEMY_MITE:
    case DUEL_ENEMY_RUNNER:
    case DUEL_ENEMY_KINDS:
        break;
    }
    return DUEL_COLOUR_CREATURE;
}

static void draw_body(const duel_view *view, const duel_enemy *enemy, float x, float y,
                      float radius, bks_colour colour)
{
    const int32_t length = duel_length(enemy->vx, enemy->vy);
    const float along = length > 0 ? (float)enemy->vx / (float)length : 0.0f;
    const float across = length > 0 ? (float)enemy->vy / (float)length : -1.0f;
    switch ((duel_enemy_kind)enemy->kind) {
    case DUEL_ENEMY_RUNNER:
        duel_shape(view, x, y, along, across, radius, wedge, 3, colour);
        break;
    case DUEL_ENEMY_FUSE:
        duel_disc(view, x, y, radius, colour);
        break;
    case DUEL_ENEMY_BRUTE:
        duel_shape(view, x, y, along, across, radius, octagon, 8, colour);
        break;
    case DUEL_ENEMY_MITE:
    case DUEL_ENEMY_KINDS:
        duel_shape(view, x, y, along, across, radius, hexagon, 6, colour);
        break;
    }
}

// Draw a creature's details: eyes look in its direction, a fuse glows, a brute shows its remaining
// hits.
static void draw_detail(const duel_view *view, const duel_enemy *enemy, float x, float y,
                        float radius)
{
    const int32_t length = duel_length(enemy->vx, enemy->vy);
    const float along = length > 0 ? (float)enemy->vx / (float)length : 0.0f;
    const float across = length > 0 ? (float)enemy->vy / (float)length : 0.0f;
    if (enemy->kind == DUEL_ENEMY_FUSE) {
        const float beat = duel_pulse(view->duel->tick + enemy->x / 64u, 28);
        duel_disc(view, x, y, radius * (0.35f + 0.25f * beat), 0xB23A00FF);
    } else if (enemy->kind == DUEL_ENEMY_BRUTE) {
        for (uint32_t i = 0; i < enemy->hits; i++) {
            const duel_vector at = duel_turn(24 + i * DUEL_TURN / 5);
            const float scale = radius * 0.55f / 256.0f;
            duel_disc(view, x + (float)at.x * scale, y + (float)at.y * scale, radius * 0.16f,
                      DUEL_COLOUR_CREATURE_RIM);
        }
    } else {
        for (int eye = -1; eye <= 1; eye += 2) {
            const float aside = radius * 0.38f * (float)eye;
            duel_disc(view, x + along * radius * 0.3f - across * aside,
                      y + across * radius * 0.3f + along * aside, radius * 0.2f,
                      DUEL_COLOUR_CREATURE_RIM);
        }
    }
}

static void draw_creature(const duel_view *view, const duel_enemy *enemy, float x, float y,
                          bool is_detailed)
{
    float radius = duel_view_length(view, duel_enemy_radius(enemy->kind));
    if (view->is_coarse) {
        const float size = radius > 0.7f ? radius : 0.7f;
        duel_fill(view, x - size, y - size, 2.0f * size, 2.0f * size, creature_colour(enemy));
        return;
    }
    if (enemy->age_ticks < DUEL_HATCH_TICKS) {
        const float share = duel_share(enemy->age_ticks, DUEL_HATCH_TICKS);
        duel_disc(view, x, y, radius * (2.2f - 1.2f * share),
                  duel_faded(DUEL_COLOUR_CREATURE, 0.12f + 0.25f * share));
        radius *= share;
    }
    draw_body(view, enemy, x, y, radius * 1.22f, DUEL_COLOUR_CREATURE_RIM);
    draw_body(view, enemy, x, y, radius, creature_colour(enemy));
    if (is_detailed) {
        draw_detail(view, enemy, x, y, radius);
    }
}

void duel_draw_creatures(const duel_view *view)
{
    const bks_pool *pool = bks_ref_get(&view->duel->enemies);
    const bool is_detailed = duel_pool_count(pool) <= DETAIL_MAX && view->cell >= 10.0f;
    uint32_t cursor = 0;
    bks_id id = 0;
    for (const duel_enemy *enemy; (enemy = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const duel_enemy *was = duel_was(view, &view->before->enemies, id, enemy);
        const duel_spot spot = duel_spot_between(view, was->x, was->y, enemy->x, enemy->y);
        draw_creature(view, enemy, spot.x, spot.y, is_detailed);
    }
}

void duel_draw_blasts(const duel_view *view)
{
    const bks_pool *pool = bks_ref_get(&view->duel->blasts);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (const duel_blast *blast; (blast = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const duel_palette *palette = duel_palette_of(blast->side);
        const duel_blast *was = duel_was(view, &view->before->blasts, id, blast);
        const float x = duel_view_x(view, blast->x);
        const float y = duel_view_y(view, blast->y);
        const float radius = duel_length_between(view, was->radius, blast->radius);
        const float left = 1.0f - duel_share(blast->radius, blast->radius_max);
        duel_disc(view, x, y, radius, duel_faded(palette->ship, 0.15f + 0.35f * left));
        if (!view->is_coarse) {
            duel_disc(view, x, y, radius * left, duel_faded(DUEL_COLOUR_SHOT, 0.7f * left));
            duel_ring(view, x, y, radius, view->cell * (0.05f + 0.12f * left), 1.0f,
                      duel_faded(palette->ship_light, 0.4f + 0.6f * left));
        }
    }
}

void duel_draw_particles(const duel_view *view)
{
    static const bks_colour tints[DUEL_TINTS] = {
        [DUEL_TINT_EMBER] = 0xE65A14FF,       [DUEL_TINT_TIDE] = 0x5CCBF7FF,
        [DUEL_TINT_EMBER_TILE] = 0xF5EAD2FF,  [DUEL_TINT_TIDE_TILE] = 0x2A5580FF,
        [DUEL_TINT_WHITE] = 0xFFFFFFFF,       [DUEL_TINT_CREATURE] = DUEL_COLOUR_CREATURE,
        [DUEL_TINT_SPARK] = DUEL_COLOUR_FUSE,
    };
    const bks_pool *pool = bks_ref_get(&view->duel->particles);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (const duel_particle *particle; (particle = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const float left = duel_share(particle->left_ticks, particle->life_ticks);
        const bks_colour colour =
            duel_faded(tints[particle->colour % DUEL_TINTS], left > 0.5f ? 1.0f : 2.0f * left);
        const duel_particle *was = duel_was(view, &view->before->particles, id, particle);
        const duel_spot spot = duel_spot_between(view, was->x, was->y, particle->x, particle->y);
        const float x = spot.x;
        const float y = spot.y;
        const float size = duel_view_length(view, particle->size * 8) * (0.4f + 0.6f * left);
        if (view->is_coarse) {
            duel_fill(view, x - 0.5f, y - 0.5f, 1.0f, 1.0f, duel_faded(colour, 0.6f));
        } else if (size < 2.0f) {
            duel_fill(view, x - size, y - size, 2.0f * size, 2.0f * size, colour);
        } else {
            static const float shard[4][2] = {
                {1.0f, 0.2f}, {0.1f, 0.8f}, {-1.0f, -0.1f}, {0.2f, -0.8f}};
            const duel_vector turn = duel_turn(particle->angle / 8u);
            duel_shape(view, x, y, (float)turn.x / 256.0f, (float)turn.y / 256.0f, size, shard, 4,
                       colour);
        }
    }
}
