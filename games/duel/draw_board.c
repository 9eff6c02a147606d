// SPDX-License-Identifier: MIT

// The board: tiles, borders between the sides' land, walls, and what is about to fall.

#include "duel/board.h"
#include "duel/draw_layers.h"
#include "duel/rounds.h"

#define WALL_FACE 0x566076FFu
#define WALL_TOP  0x6C778FFFu
#define WALL_SIDE 0x2A303DFFu
#define PIT       0x12161EFFu
#define PIT_RIM   0x191E28FFu

enum {
    WARN_TICKS = 180, ///< a ring shows that it will fall
};

// On few, big dots an edge between two of them would blend with what is behind.
static float snapped(const duel_view *view, float at)
{
    return view->is_coarse && at > 0.0f ? (float)(int32_t)(at + 0.5f) : at;
}

static float tile_left(const duel_view *view, int32_t x)
{
    return snapped(view, view->x + (float)x * view->cell);
}

static float tile_top(const duel_view *view, int32_t y)
{
    return snapped(view, view->y + (float)y * view->cell);
}

static void fill_tile(const duel_view *view, int32_t x, int32_t y, bks_colour colour)
{
    const float left = tile_left(view, x);
    const float top = tile_top(view, y);
    duel_fill(view, left, top, tile_left(view, x + 1) - left, tile_top(view, y + 1) - top, colour);
}

static void draw_frame(const duel_view *view)
{
    const float width = view->cell * (float)view->duel->width;
    const float height = view->cell * (float)view->duel->height;
    const float rim = view->is_coarse ? 0.0f : view->cell * 0.16f;
    duel_fill(view, view->x - rim, view->y - rim, width + 2.0f * rim, height + 2.0f * rim,
              DUEL_COLOUR_FRAME);
    duel_fill(view, view->x, view->y, width, height, PIT);
}

// Tiles are not all quite the same, so that a big area is not dead.
static bks_colour face_of(const duel_view *view, int32_t x, int32_t y, uint32_t side)
{
    const duel_palette *palette = duel_palette_of(side);
    const uint32_t grain = (uint32_t)(x * 7 + y * 13 + x * y * 3) % 5u;
    const float low = view->is_coarse ? 0.35f : 0.11f * (float)grain;
    const bool is_odd = ((x + y) & 1) != 0;
    return duel_mixed(palette->tile, palette->tile_low, view->is_coarse ? (is_odd ? low : 0) : low);
}

static void draw_tile(const duel_view *view, int32_t x, int32_t y, uint32_t side)
{
    const float left = tile_left(view, x);
    const float top = tile_top(view, y);
    const float cell = view->cell;
    const uint32_t glow = view->duel->glow[duel_tile_index(view->duel, x, y)];
    const bks_colour face = face_of(view, x, y, side);
    if (view->is_coarse) {
        fill_tile(view, x, y, face);
        return;
    }
    // A tile that was just won: its colour spreads from the middle over the old one.
    const float spread = 1.0f - (float)glow / (float)DUEL_GLOW_TICKS;
    const uint32_t under = glow > 0 ? duel_rival(side) : side;
    duel_fill(view, left, top, cell, cell, duel_palette_of(under)->tile_low);
    const float gap = cell * (0.035f + 0.465f * (1.0f - spread) * (1.0f - spread));
    const float wide = cell - 2.0f * gap;
    duel_fill(view, left + gap, top + gap, wide, wide, face);
    if (glow > 0) {
        const bks_colour flash = duel_palette_of(side)->ship_light;
        duel_fill(view, left + gap, top + gap, wide, wide, duel_faded(flash, 0.06f * (float)glow));
    } else if (cell >= 20.0f) {
        const bks_colour light = duel_faded(0xFFFFFFFF, side == DUEL_TILE_EMBER ? 0.35f : 0.06f);
        duel_fill(view, left + gap, top + gap, wide, cell * 0.04f, light);
    }
}

static void draw_wall(const duel_view *view, int32_t x, int32_t y)
{
    const float left = tile_left(view, x);
    const float top = tile_top(view, y);
    const float cell = view->cell;
    if (view->is_coarse) {
        fill_tile(view, x, y, WALL_FACE);
        return;
    }
    duel_fill(view, left, top, cell, cell, WALL_SIDE);
    duel_fill(view, left, top, cell, cell * 0.84f, WALL_FACE);
    duel_fill(view, left, top, cell, cell * 0.08f, WALL_TOP);
    duel_fill(view, left + cell * 0.22f, top + cell * 0.26f, cell * 0.56f, cell * 0.36f,
              duel_faded(WALL_SIDE, 0.45f));
}

static void draw_pit(const duel_view *view, int32_t x, int32_t y)
{
    if (!view->is_coarse) {
        const float inset = view->cell * 0.3f;
        duel_fill(view, tile_left(view, x) + inset, tile_top(view, y) + inset,
                  view->cell - 2.0f * inset, view->cell - 2.0f * inset, PIT_RIM);
    }
}

// A stripe on both sides of where two colours meet.
static void draw_border(const duel_view *view, int32_t x, int32_t y, uint32_t side)
{
    const float left = tile_left(view, x);
    const float top = tile_top(view, y);
    const float cell = view->cell;
    const float wide = cell * 0.075f;
    const bks_colour colour = duel_palette_of(side)->edge;
    const uint32_t rival = duel_rival(side);
    if (duel_tile_is_open(view->duel, rival, x - 1, y)) {
        duel_fill(view, left, top, wide, cell, colour);
    }
    if (duel_tile_is_open(view->duel, rival, x + 1, y)) {
        duel_fill(view, left + cell - wide, top, wide, cell, colour);
    }
    if (duel_tile_is_open(view->duel, rival, x, y - 1)) {
        duel_fill(view, left, top, cell, wide, colour);
    }
    if (duel_tile_is_open(view->duel, rival, x, y + 1)) {
        duel_fill(view, left, top + cell - wide, cell, wide, colour);
    }
}

// The ring that falls next darkens and lights up, faster towards the end.
static void draw_warning(const duel_view *view, int32_t x, int32_t y)
{
    const uint32_t left = duel_rounds_collapse_in(view->duel);
    if (left > WARN_TICKS || duel_board_ring(view->duel, x, y) != view->duel->rings_gone) {
        return;
    }
    const float pulse = duel_pulse(left, left > WARN_TICKS / 3 ? 40 : 16);
    fill_tile(view, x, y, duel_faded(DUEL_COLOUR_BACK, 0.2f + 0.5f * pulse));
    if (!view->is_coarse) {
        const float cell = view->cell;
        const float inset = cell * 0.28f;
        duel_fill(view, tile_left(view, x) + inset, tile_top(view, y) + inset, cell - 2 * inset,
                  cell - 2 * inset, duel_faded(DUEL_COLOUR_FUSE, 0.5f * pulse));
    }
}

void duel_draw_board(const duel_view *view)
{
    const duel_state *duel = view->duel;
    draw_frame(view);
    for (int32_t y = 0; y < duel->height; y++) {
        for (int32_t x = 0; x < duel->width; x++) {
            switch (duel_tile_at(duel, x, y)) {
            case DUEL_TILE_EMBER:
            case DUEL_TILE_TIDE:
                draw_tile(view, x, y, (uint32_t)duel_tile_at(duel, x, y));
                if (!view->is_coarse) {
                    draw_border(view, x, y, (uint32_t)duel_tile_at(duel, x, y));
                }
                draw_warning(view, x, y);
                break;
            case DUEL_TILE_WALL:
                draw_wall(view, x, y);
                draw_warning(view, x, y);
                break;
            case DUEL_TILE_VOID:
                draw_pit(view, x, y);
                break;
            }
        }
    }
}
