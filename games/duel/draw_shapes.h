// SPDX-License-Identifier: MIT

/// @file draw_shapes.h
/// What the parts of the picture share: where the board lies on the canvas, and colours that differ
/// in brightness, too: Ember's tiles are light and its ships dark, Tide's the other way round.

#ifndef DUEL_DRAW_SHAPES_H
#define DUEL_DRAW_SHAPES_H

#include "backstitch/plugin.h"
#include "duel/duel_state.h"

#define DUEL_COLOUR_BACK         0x0B0D12FFu
#define DUEL_COLOUR_FRAME        0x1D222EFFu
#define DUEL_COLOUR_WELL         0x262C3AFFu
#define DUEL_COLOUR_TEXT         0xEEF1F6FFu
#define DUEL_COLOUR_FAINT        0x8C95A8FFu
#define DUEL_COLOUR_SHOT         0xFFF6DCFFu
#define DUEL_COLOUR_CREATURE     0xF062B8FFu
#define DUEL_COLOUR_CREATURE_RIM 0x4A0A33FFu
#define DUEL_COLOUR_FUSE         0xFFD23FFFu
#define DUEL_COLOUR_BRUTE        0xB47CFFFFu

/// One frame: the canvas and where the board lies on it.
typedef struct duel_view {
    const bks_canvas *canvas;
    const bks_picture *picture;
    const duel_state *duel;
    const duel_state *before; ///< a tick earlier, to blend from; `duel` where nothing lies between
    float ticks_on;           ///< from the start of the newest tick to the picture, in ticks, -1..1
    float x, y;               ///< the board's top left corner
    float cell;               ///< a tile
    float hud_x, hud_y;       ///< the strip above it
    float hud_width, hud_height;
    bool is_coarse;
} duel_view;

/// A side's colours.
typedef struct duel_palette {
    bks_colour tile, tile_low, edge; ///< face, gaps between faces, border of its land
    bks_colour ship, ship_rim, ship_light;
    bks_colour name; ///< colour of texts and lamps on dark ground
} duel_palette;

/// @param side  0 or 1
const duel_palette *duel_palette_of(uint32_t side);

/// Canvas position of a position on the board.
static inline float duel_view_x(const duel_view *view, int32_t units)
{
    return view->x + (float)units * view->cell / (float)DUEL_TILE;
}

static inline float duel_view_y(const duel_view *view, int32_t units)
{
    return view->y + (float)units * view->cell / (float)DUEL_TILE;
}

/// Canvas length of a length on the board.
static inline float duel_view_length(const duel_view *view, int32_t units)
{
    return (float)units * view->cell / (float)DUEL_TILE;
}

/// How much of `whole` `part` is, 0..1; 0 where `whole` is 0, as in a damaged state.
float duel_share(uint32_t part, uint32_t whole);

/// The colour with another opacity.
/// @param alpha  0..1, clamped
bks_colour duel_faded(bks_colour colour, float alpha);

/// A blend of two opaque colours.
/// @param share  of `to`, 0..1, clamped
bks_colour duel_mixed(bks_colour from, bks_colour to, float share);

/// A number that swings between 0 and 1 over `period_ticks`.
float duel_pulse(uint32_t tick, uint32_t period_ticks);

void duel_fill(const duel_view *view, float x, float y, float width, float height,
               bks_colour colour);
void duel_disc(const duel_view *view, float x, float y, float radius, bks_colour colour);

/// A ring of line segments, from the top clockwise.
/// @param share  of the full ring, 0..1, clamped
void duel_ring(const duel_view *view, float x, float y, float radius, float width, float share,
               bks_colour colour);

/// A polygon of up to 8 points given along and across a direction.
/// @param along, across  the direction's unit vector
/// @param shape          points of (along, across) in units of `scale`
void duel_shape(const duel_view *view, float x, float y, float along, float across, float scale,
                const float (*shape)[2], uint32_t count, bks_colour colour);

void duel_text(const duel_view *view, float x, float y, float size, bks_colour colour,
               const char *text);
/// Text around a middle, or before an end.
void duel_text_middle(const duel_view *view, float x, float y, float size, bks_colour colour,
                      const char *text);
void duel_text_end(const duel_view *view, float x, float y, float size, bks_colour colour,
                   const char *text);

#endif
