// SPDX-License-Identifier: MIT

// Draws the board: tiles, borders between the sides' land, walls, and rings that will fall. The
// board is most of a picture's shapes. So each layer is drawn for all tiles before the next layer,
// one colour at a time. Neighbours become one rectangle if that looks the same. Edges lie between
// whole dots.

#include "duel/board.h"
#include "duel/draw_layers.h"
#include "duel/rounds.h"

#define WALL_FACE 0x566076FFu
#define WALL_TOP  0x6C778FFFu
#define WALL_SIDE 0x2A303DFFu
#define PIT       0x12161EFFu
#define PIT_RIM   0x191E28FFu

enum {
    WARN_TICKS = 180, ///< ticks that a ring warns before it falls
    GRAINS = 5,       ///< shades of a side's tiles
};

// Size of a cell, in dots, from which on its edges lie between whole dots.
static const float CELL_SNAPPED = 14.0f;

// Move an edge to the next whole dot. Between two large dots it would blend with the background.
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

// Return the width of a stroke, as a part of a tile.
static float stroke(const duel_view *view, float width)
{
    if (view->cell < CELL_SNAPPED) {
        return width;
    }
    return width < 1.0f ? 1.0f : (float)(int32_t)(width + 0.5f);
}

static bool is_land(const duel_view *view, int32_t x, int32_t y)
{
    const duel_tile tile = duel_tile_at(view->duel, x, y);
    return tile == DUEL_TILE_EMBER || tile == DUEL_TILE_TIDE;
}

static uint32_t glow_of(const duel_view *view, int32_t x, int32_t y)
{
    return view->duel->glow[duel_tile_index(view->duel, x, y)];
}

// Return the shade of a tile. Shades vary, so that a large area does not look flat.
static uint32_t grain_of(int32_t x, int32_t y)
{
    return (uint32_t)(x * 7 + y * 13 + x * y * 3) % GRAINS;
}

static bks_colour face_of(const duel_view *view, int32_t x, int32_t y, uint32_t side)
{
    const duel_palette *palette = duel_palette_of(side);
    const float low = view->is_coarse ? 0.35f : 0.11f * (float)grain_of(x, y);
    const bool is_odd = ((x + y) & 1) != 0;
    return duel_mixed(palette->tile, palette->tile_low, view->is_coarse ? (is_odd ? low : 0) : low);
}

// Return the owner of the ground, the colour between the faces of tiles. Under a tile that was just
// won, it is the other side.
static uint32_t ground_of(const duel_view *view, int32_t x, int32_t y)
{
    const uint32_t side = (uint32_t)duel_tile_at(view->duel, x, y);
    return !is_land(view, x, y) ? DUEL_SIDES : glow_of(view, x, y) > 0 ? duel_rival(side) : side;
}

static void draw_grounds(const duel_view *view)
{
    for (int32_t y = 0; y < view->duel->height; y++) {
        for (int32_t x = 0, end = 0; x < view->duel->width; x = end) {
            const uint32_t ground = ground_of(view, x, y);
            for (end = x + 1; end < view->duel->width && ground_of(view, end, y) == ground;) {
                end++;
            }
            if (ground < DUEL_SIDES) {
                duel_fill(view, tile_left(view, x), tile_top(view, y),
                          (float)(end - x) * view->cell, view->cell,
                          duel_palette_of(ground)->tile_low);
            }
        }
    }
}

// Draw the faces of tiles that do not glow.
static void draw_faces(const duel_view *view, uint32_t side, uint32_t grain)
{
    const float gap = stroke(view, view->cell * 0.035f);
    const float wide = view->cell - 2.0f * gap;
    for (int32_t y = 0; y < view->duel->height; y++) {
        for (int32_t x = 0; x < view->duel->width; x++) {
            if (grain_of(x, y) == grain && (uint32_t)duel_tile_at(view->duel, x, y) == side &&
                glow_of(view, x, y) == 0) {
                duel_fill(view, tile_left(view, x) + gap, tile_top(view, y) + gap, wide, wide,
                          face_of(view, x, y, side));
            }
        }
    }
}

static bool is_lit(const duel_view *view, int32_t x, int32_t y, uint32_t side)
{
    return x < view->duel->width && (uint32_t)duel_tile_at(view->duel, x, y) == side &&
           glow_of(view, x, y) == 0;
}

// Draw the upper edges of faces. They are one dot high, so they may cross the gaps.
static void draw_lights(const duel_view *view, uint32_t side)
{
    const bks_colour light = duel_faded(0xFFFFFFFF, side == DUEL_TILE_EMBER ? 0.35f : 0.06f);
    const float gap = stroke(view, view->cell * 0.035f);
    const float high = stroke(view, view->cell * 0.04f);
    for (int32_t y = 0; y < view->duel->height; y++) {
        for (int32_t x = 0, end = 0; x < view->duel->width; x = end + 1) {
            for (end = x; is_lit(view, end, y, side);) {
                end++;
            }
            duel_fill(view, tile_left(view, x) + gap, tile_top(view, y) + gap,
                      (float)(end - x) * view->cell - 2.0f * gap, high, light);
        }
    }
}

// Draw a tile that was just won: its new colour spreads from the middle over the old one.
static void draw_glow(const duel_view *view, int32_t x, int32_t y)
{
    const uint32_t glow = glow_of(view, x, y);
    if (!is_land(view, x, y) || glow == 0) {
        return;
    }
    const uint32_t side = (uint32_t)duel_tile_at(view->duel, x, y);
    const float left = (float)glow / (float)DUEL_GLOW_TICKS;
    const float gap = view->cell * (0.035f + 0.465f * left * left);
    const float wide = view->cell - 2.0f * gap;
    const bks_colour flash = duel_faded(duel_palette_of(side)->ship_light, 0.06f * (float)glow);
    duel_fill(view, tile_left(view, x) + gap, tile_top(view, y) + gap, wide, wide,
              face_of(view, x, y, side));
    duel_fill(view, tile_left(view, x) + gap, tile_top(view, y) + gap, wide, wide, flash);
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

// Draw a stripe on both sides of a border between two colours. It covers the tiles of a side at
// their edge towards (dx, dy). Neighbours along the edge share one stripe.
static void draw_border(const duel_view *view, uint32_t side, int32_t dx, int32_t dy)
{
    const duel_state *duel = view->duel;
    const uint32_t rival = duel_rival(side);
    const float wide = stroke(view, view->cell * 0.075f);
    const int32_t rows = dx != 0 ? duel->width : duel->height;
    const int32_t length = dx != 0 ? duel->height : duel->width;
    for (int32_t row = 0; row < rows; row++) {
        int32_t begin = 0;
        for (int32_t at = 0; at <= length; at++) {
            const int32_t x = dx != 0 ? row : at;
            const int32_t y = dx != 0 ? at : row;
            if (at < length && (uint32_t)duel_tile_at(duel, x, y) == side &&
                duel_tile_is_open(duel, rival, x + dx, y + dy)) {
                continue;
            }
            if (at > begin) {
                const float across =
                    (float)(row + (dx + dy > 0 ? 1 : 0)) * view->cell - (dx + dy > 0 ? wide : 0.0f);
                const float along = (float)begin * view->cell;
                const float run = (float)(at - begin) * view->cell;
                duel_fill(view, view->x + (dx != 0 ? across : along),
                          view->y + (dx != 0 ? along : across), dx != 0 ? wide : run,
                          dx != 0 ? run : wide, duel_palette_of(side)->edge);
            }
            begin = at + 1;
        }
    }
}

// Darken and light up the ring that falls next, faster towards the end.
static void draw_warning(const duel_view *view, int32_t x, int32_t y)
{
    const uint32_t left = duel_rounds_collapse_in(view->duel);
    if (duel_tile_at(view->duel, x, y) == DUEL_TILE_VOID ||
        duel_board_ring(view->duel, x, y) != view->duel->rings_gone) {
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

static void draw_each(const duel_view *view,
                      void (*draw)(const duel_view *view, int32_t x, int32_t y))
{
    for (int32_t y = 0; y < view->duel->height; y++) {
        for (int32_t x = 0; x < view->duel->width; x++) {
            draw(view, x, y);
        }
    }
}

// Draw a tile that is no land. On a screen of few, large dots all tiles are drawn by it.
static void draw_tile(const duel_view *view, int32_t x, int32_t y)
{
    switch (duel_tile_at(view->duel, x, y)) {
    case DUEL_TILE_EMBER:
    case DUEL_TILE_TIDE:
        if (view->is_coarse) {
            fill_tile(view, x, y, face_of(view, x, y, (uint32_t)duel_tile_at(view->duel, x, y)));
        }
        break;
    case DUEL_TILE_WALL:
        draw_wall(view, x, y);
        break;
    case DUEL_TILE_VOID:
        draw_pit(view, x, y);
        break;
    }
}

static void draw_land(const duel_view *view)
{
    draw_grounds(view);
    for (uint32_t side = 0; side < DUEL_SIDES; side++) {
        for (uint32_t grain = 0; grain < GRAINS; grain++) {
            draw_faces(view, side, grain);
        }
        if (view->cell >= 20.0f) {
            draw_lights(view, side);
        }
    }
    draw_each(view, draw_glow);
    for (uint32_t side = 0; side < DUEL_SIDES; side++) {
        draw_border(view, side, -1, 0);
        draw_border(view, side, 1, 0);
        draw_border(view, side, 0, -1);
        draw_border(view, side, 0, 1);
    }
}

void duel_draw_board(const duel_view *view)
{
    draw_frame(view);
    if (!view->is_coarse) {
        draw_land(view);
    }
    draw_each(view, draw_tile);
    if (duel_rounds_collapse_in(view->duel) <= WARN_TICKS) {
        draw_each(view, draw_warning);
    }
}
