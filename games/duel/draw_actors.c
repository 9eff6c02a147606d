// SPDX-License-Identifier: MIT

// Draws ships, shots and pickups.

#include "duel/board.h"
#include "duel/draw_between.h"
#include "duel/draw_layers.h"
#include "duel/motion.h"
#include "duel/pickups.h"
#include "duel/shots.h"

// Corners of half a dart: nose, shoulder, tail, notch. The other half is the mirror image.
static const float dart_left[4][2] = {{1.25f, 0.0f}, {-0.2f, 0.78f}, {-0.95f, 0.8f}, {-0.5f, 0.0f}};
static const float dart_right[4][2] = {
    {1.25f, 0.0f}, {-0.2f, -0.78f}, {-0.95f, -0.8f}, {-0.5f, 0.0f}};
static const float spine[4][2] = {{0.85f, 0.0f}, {0.0f, 0.2f}, {-0.5f, 0.0f}, {0.0f, -0.2f}};
static const float chevron[3][2] = {{1.0f, 0.0f}, {-0.6f, 0.8f}, {-0.6f, -0.8f}};

// Colours of the stripe along a ship, which show its seat.
static const bks_colour stripes[DUEL_SEATS] = {0xFFFFFFFF, 0x0B2A3BFF, 0xFFD23FFF, 0xF062B8FF};
static const bks_colour arcade_stripes[DUEL_SEATS] = {0xFFFFFFFF, 0x74D4FAFF, 0xFFD23FFF,
                                                      0x1A1A1AFF};

static void draw_dart(const duel_view *view, float x, float y, float along, float across,
                      float radius, bks_colour colour)
{
    duel_shape(view, x, y, along, across, radius, dart_left, 4, colour);
    duel_shape(view, x, y, along, across, radius, dart_right, 4, colour);
}

void duel_draw_ship_icon(const duel_view *view, float x, float y, float radius, uint32_t side,
                         float opacity)
{
    draw_dart(view, x, y, 0.0f, -1.0f, radius, duel_faded(duel_palette_of(side)->name, opacity));
}

static void draw_charge(const duel_view *view, const duel_ship *ship, float x, float y)
{
    if (ship->charge_ticks < 6 || ship->held_direction == DUEL_NONE) {
        return;
    }
    const duel_palette *palette = duel_palette_of(ship->side);
    const float share = duel_share(ship->charge_ticks, DUEL_CHARGE_TICKS);
    const bool is_full = ship->charge_ticks >= DUEL_CHARGE_TICKS;
    const float beat = is_full ? duel_pulse(view->duel->tick, 10) : 0.0f;
    const float radius = view->cell * (0.4f + 0.22f * share + 0.08f * beat);
    duel_disc(view, x, y, radius, duel_faded(palette->ship, 0.18f + 0.2f * share));
    duel_ring(view, x, y, view->cell * 0.56f, view->cell * 0.06f, share, palette->ship);
    const duel_vector ahead = duel_step_of(ship->held_direction);
    for (int lane = is_full ? -1 : 0; lane <= (is_full ? 1 : 0); lane++) {
        const float far = view->cell * (0.82f + 0.1f * beat - (lane != 0 ? 0.12f : 0.0f));
        const float aside = view->cell * 0.34f * (float)lane;
        duel_shape(view, x + (float)ahead.x * far - (float)ahead.y * aside,
                   y + (float)ahead.y * far + (float)ahead.x * aside, (float)ahead.x,
                   (float)ahead.y, view->cell * 0.13f, chevron, 3,
                   duel_faded(palette->ship, 0.35f + 0.65f * share));
    }
}

// Draw the shots left as dots around the ship, where the player looks anyway.
static void draw_ammo(const duel_view *view, const duel_ship *ship, float x, float y)
{
    const duel_palette *palette = duel_palette_of(ship->side);
    for (uint32_t i = 0; i < ship->ammo_max; i++) {
        const duel_vector at = duel_turn(24 + i * DUEL_TURN / ship->ammo_max);
        const float scale = view->cell * 0.52f / 256.0f;
        const bool is_left = i < ship->ammo;
        duel_disc(view, x + (float)at.x * scale, y + (float)at.y * scale,
                  view->cell * (is_left ? 0.055f : 0.03f),
                  duel_faded(palette->ship, is_left ? 0.95f : 0.35f));
    }
}

static void draw_ship(const duel_view *view, const duel_ship *ship, float x, float y)
{
    const duel_palette *palette = duel_palette_of(ship->side);
    const float radius = duel_view_length(view, DUEL_SHIP_RADIUS);
    if (view->is_coarse) {
        const float size = radius > 1.2f ? radius * 1.4f : 1.7f;
        duel_disc(view, x, y, size + 0.6f, palette->ship_rim);
        duel_disc(view, x, y, size, ship->protect_ticks & 4u ? DUEL_COLOUR_TEXT : palette->ship);
        duel_disc(view, x, y, size * 0.45f, palette->ship_light);
        return;
    }
    const int32_t length = duel_length(ship->heading_x, ship->heading_y);
    const float along = length > 0 ? (float)ship->heading_x / (float)length : 1.0f;
    const float across = length > 0 ? (float)ship->heading_y / (float)length : 0.0f;
    duel_disc(view, x + radius * 0.12f, y + radius * 0.22f, radius * 1.02f,
              duel_faded(0x000000FF, 0.22f));
    draw_charge(view, ship, x, y);
    const bool is_blinking = ship->protect_ticks > 0 && view->duel->phase != DUEL_PHASE_READY;
    const float opacity = is_blinking && (ship->protect_ticks / 5u & 1u) ? 0.5f : 1.0f;
    draw_dart(view, x, y, along, across, radius * 1.42f, duel_faded(palette->ship_rim, opacity));
    draw_dart(view, x, y, along, across, radius * 1.16f, duel_faded(palette->ship, opacity));
    const bks_colour *table = view->duel->mode == DUEL_ARCADE ? arcade_stripes : stripes;
    duel_shape(view, x, y, along, across, radius * 1.16f, spine, 4,
               duel_faded(table[ship->seat], opacity));
    draw_ammo(view, ship, x, y);
    if (ship->has_shield) {
        duel_ring(view, x, y, radius * 1.75f, view->cell * 0.08f, 1.0f,
                  duel_faded(palette->ship, 0.9f));
    }
    if (ship->protect_ticks > 0) {
        duel_ring(view, x, y, radius * (1.6f + 0.012f * (float)ship->protect_ticks),
                  view->cell * 0.05f, 1.0f, duel_faded(palette->ship, 0.5f));
    }
}

static void draw_tag(const duel_view *view, const duel_ship *ship, float x, float y)
{
    const char *tag = ship->seat >= view->duel->seats ? "house"
                      : ship->seat == 0               ? "P1"
                      : ship->seat == 1               ? "P2"
                      : ship->seat == 2               ? "P3"
                                                      : "P4";
    const duel_palette *palette = duel_palette_of(ship->side);
    const float size = view->cell * 0.5f;
    duel_text_middle(view, x, y - view->cell * 1.2f, size, palette->ship, tag);
}

void duel_draw_ships(const duel_view *view)
{
    for (uint32_t seat = 0; seat < view->duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(view->duel, seat);
        if (!ship->is_alive) {
            duel_spot_forget_ship(view, seat);
            continue;
        }
        const duel_spot spot = duel_spot_of_ship(view, ship);
        draw_ship(view, ship, spot.x, spot.y);
        if (!view->is_coarse && ship->protect_ticks > 0 && view->cell >= 14.0f) {
            draw_tag(view, ship, spot.x, spot.y);
        }
    }
}

// Return the length of a shot's tail: the distance flown so far, at most two and a half tiles.
static float tail_of(const duel_view *view, const duel_shot *shot)
{
    const float ticks = (float)shot->age_ticks + view->ticks_on;
    const float tiles = ticks * (float)duel_shot_speed(shot) / (float)DUEL_TILE;
    return view->cell * (tiles < 0.0f ? 0.0f : tiles < 2.5f ? tiles : 2.5f);
}

static void draw_shot(const duel_view *view, const duel_shot *shot, float x, float y)
{
    const duel_palette *palette = duel_palette_of(shot->side);
    const duel_vector ahead = duel_step_of(shot->direction);
    const float size = view->cell * (shot->is_heavy ? 0.24f : 0.16f);
    if (view->is_coarse) {
        const float dot = view->cell > 2.0f ? view->cell * 0.3f : 0.7f;
        duel_disc(view, x, y, dot + 0.4f, palette->ship);
        return;
    }
    const float length = tail_of(view, shot) / size;
    const float outer[3][2] = {{0.0f, 1.0f}, {-length, 0.0f}, {0.0f, -1.0f}};
    const float inner[3][2] = {{0.0f, 0.55f}, {-length * 0.6f, 0.0f}, {0.0f, -0.55f}};
    const float along = (float)ahead.x;
    const float across = (float)ahead.y;
    duel_shape(view, x, y, along, across, size, outer, 3, duel_faded(palette->ship, 0.5f));
    duel_shape(view, x, y, along, across, size, inner, 3, duel_faded(palette->ship_light, 0.6f));
    duel_disc(view, x, y, size * 1.7f, duel_faded(palette->ship, 0.25f));
    duel_disc(view, x, y, size * 1.12f, palette->ship_rim);
    duel_disc(view, x, y, size, palette->ship);
    duel_disc(view, x + along * size * 0.2f, y + across * size * 0.2f, size * 0.5f,
              DUEL_COLOUR_SHOT);
}

void duel_draw_shots(const duel_view *view)
{
    const bks_pool *pool = bks_ref_get(&view->duel->shots);
    uint32_t cursor = 0;
    bks_id id = 0;
    for (const duel_shot *shot; (shot = duel_pool_next(pool, &cursor, &id)) != NULL;) {
        const duel_shot *was = duel_was(view, &view->before->shots, id, shot);
        const duel_spot spot = duel_spot_between(view, was->x, was->y, shot->x, shot->y);
        draw_shot(view, shot, spot.x, spot.y);
    }
}

static void draw_icon(const duel_view *view, float x, float y, float size, uint32_t kind)
{
    const bks_canvas *canvas = view->canvas;
    const float wide = size * 0.2f;
    switch ((duel_pickup_kind)kind) {
    case DUEL_PICKUP_SPREAD:
        for (int lane = -1; lane <= 1; lane++) {
            canvas->line(canvas->context, x - size * 0.7f, y + size * 0.15f * (float)lane,
                         x + size * 0.7f, y + size * 0.6f * (float)lane, wide, DUEL_COLOUR_TEXT);
        }
        break;
    case DUEL_PICKUP_AMMO:
        for (int i = -1; i <= 1; i++) {
            duel_fill(view, x + size * 0.5f * (float)i - size * 0.16f, y - size * 0.6f,
                      size * 0.32f, size * 1.2f, DUEL_COLOUR_TEXT);
        }
        break;
    case DUEL_PICKUP_SHIELD:
        duel_ring(view, x, y, size * 0.68f, wide, 1.0f, DUEL_COLOUR_TEXT);
        duel_disc(view, x, y, size * 0.25f, DUEL_COLOUR_TEXT);
        break;
    case DUEL_PICKUP_NOVA:
        for (uint32_t i = 0; i < 4; i++) {
            const duel_vector turn = duel_turn(i * 4);
            const float scale = size * 0.85f / 256.0f;
            canvas->line(canvas->context, x - (float)turn.x * scale, y - (float)turn.y * scale,
                         x + (float)turn.x * scale, y + (float)turn.y * scale, wide * 0.8f,
                         DUEL_COLOUR_TEXT);
        }
        break;
    case DUEL_PICKUP_KINDS:
        break;
    }
}

void duel_draw_pickups(const duel_view *view)
{
    static const bks_colour rims[DUEL_PICKUP_KINDS] = {0x4FD6A5FF, 0xFFD23FFF, 0x74D4FAFF,
                                                       0xF062B8FF};
    const bks_pool *pool = bks_ref_get(&view->duel->pickups);
    uint32_t cursor = 0;
    for (const duel_pickup *pickup; (pickup = duel_pool_next(pool, &cursor, NULL)) != NULL;) {
        const float x = duel_view_x(view, duel_tile_middle(pickup->tile_x));
        const float y = duel_view_y(view, duel_tile_middle(pickup->tile_y));
        const bks_colour rim = rims[pickup->kind % DUEL_PICKUP_KINDS];
        if (pickup->left_ticks < 150 && (pickup->left_ticks / 8u & 1u)) {
            continue;
        }
        if (view->is_coarse) {
            const float size = view->cell * (0.3f + 0.3f * duel_pulse(view->duel->tick, 30));
            duel_fill(view, x - size, y - size, 2.0f * size, 2.0f * size, rim);
            continue;
        }
        const float grown = pickup->age_ticks < 12 ? (float)pickup->age_ticks / 12.0f : 1.0f;
        const float beat = duel_pulse(view->duel->tick + pickup->tile_x * 9u, 64);
        const float size = view->cell * (0.42f + 0.03f * beat) * grown;
        const float share = duel_share(pickup->left_ticks, DUEL_PICKUP_LIFE_TICKS);
        duel_disc(view, x, y, size * 1.35f, duel_faded(rim, 0.22f));
        duel_disc(view, x, y, size, 0x1A1F2BFF);
        duel_ring(view, x, y, size, view->cell * 0.07f, share, rim);
        draw_icon(view, x, y, size * 0.6f, pickup->kind);
    }
}
