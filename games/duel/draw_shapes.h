// SPDX-License-Identifier: MIT

/// @file draw_shapes.h
/// Shared by all parts of the picture: the board's place on the canvas, and the colours. The sides'
/// colours also differ in brightness: Ember's tiles are light and its ships dark, Tide's the other
/// way round.

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

/// Context of a picture: the canvas and the board's place on it.
typedef struct duel_view {
    const bks_canvas *canvas;
    const bks_picture *picture;
    const duel_state *duel;
    const duel_state *before; ///< state of the tick before, for blending; equal to `duel` if the
                              ///< picture shows a tick
    float ticks_on;           ///< ticks from the start of the newest tick to the picture's time,
                              ///< -1..1
    float x, y;               ///< top left corner of the board
    float cell;               ///< size of a tile
    float hud_x, hud_y;       ///< top left corner of the strip above the board
    float hud_width, hud_height;
    bool is_coarse;
} duel_view;

/// Colours of a side.
typedef struct duel_palette {
    bks_colour tile, tile_low, edge; ///< face, gaps between faces, border of its land
    bks_colour ship, ship_rim, ship_light;
    bks_colour name; ///< colour of texts and lamps on dark ground
} duel_palette;

/// Return the colours of a side.
/// @param side  0 or 1
const duel_palette *duel_palette_of(uint32_t side);

/// Return the canvas position of a position on the board.
static inline float duel_view_x(const duel_view *view, int32_t units)
{
    return view->x + (float)units * view->cell / (float)DUEL_TILE;
}

static inline float duel_view_y(const duel_view *view, int32_t units)
{
    return view->y + (float)units * view->cell / (float)DUEL_TILE;
}

/// Return the canvas length of a length on the board.
static inline float duel_view_length(const duel_view *view, int32_t units)
{
    return (float)units * view->cell / (float)DUEL_TILE;
}

/// Return `part` divided by `whole`, 0..1. It is 0 if `whole` is 0, as in a damaged state.
float duel_share(uint32_t part, uint32_t whole);

/// Return a colour with another opacity.
/// @param alpha  0..1, clamped
bks_colour duel_faded(bks_colour colour, float alpha);

/// Blend two opaque colours.
/// @param share  share of `to`, 0..1, clamped
bks_colour duel_mixed(bks_colour from, bks_colour to, float share);

/// Return a number that swings between 0 and 1 with a period of `period_ticks`.
float duel_pulse(uint32_t tick, uint32_t period_ticks);

void duel_fill(const duel_view *view, float x, float y, float width, float height,
               bks_colour colour);
void duel_disc(const duel_view *view, float x, float y, float radius, bks_colour colour);

/// Draw a ring of line segments, clockwise from the top.
/// @param share  share of the full ring, 0..1, clamped
void duel_ring(const duel_view *view, float x, float y, float radius, float width, float share,
               bks_colour colour);

/// Draw a polygon of up to 8 points, given along and across a direction.
/// @param along, across  unit vector of the direction
/// @param shape          points as (along, across), in units of `scale`
void duel_shape(const duel_view *view, float x, float y, float along, float across, float scale,
                const float (*shape)[2], uint32_t count, bks_colour colour);

void duel_text(const duel_view *view, float x, float y, float size, bks_colour colour,
               const char *text);
/// Draw text centred on a point, or ending at a point.
void duel_text_middle(const duel_view *view, float x, float y, float size, bks_colour colour,
                      const char *text);
void duel_text_end(const duel_view *view, float x, float y, float size, bks_colour colour,
                   const char *text);

#endif
