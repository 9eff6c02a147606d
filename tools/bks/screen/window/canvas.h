// SPDX-License-Identifier: MIT

/// @file canvas.h
/// What canvases share, whatever they draw on: the size of letters, lines as polygons, and text
/// that stays within a width, broken into lines where it is too long for one.

#ifndef BKS_TOOL_CANVAS_H
#define BKS_TOOL_CANVAS_H

#include "backstitch/plugin.h"

/// Most points of a polygon.
enum { CANVAS_POINTS_MAX = 16 };

/// The size of the font that a size of text is drawn in.
uint32_t canvas_text_px(float size);

/// `text_width` of every canvas that draws with the font.
/// @param context  is not read
float canvas_text_width(void *context, float size, const char *text);

/// A line as a polygon of four points.
/// @param out  receives x and y of each
/// @return false: the line has no length, and nothing is to be drawn
bool canvas_line_corners(float x0, float y0, float x1, float y1, float width, float out[8]);

/// How a block of text is laid out.
typedef struct text_block {
    float left;
    float width;       ///< no line is wider, unless a single character is
    float size;        ///< height of a line of text
    float pitch;       ///< from one line to the next
    bool is_centred;   ///< within `width`; else at the left
    uint32_t rows_max; ///< most lines, the rest is left out; 0: no bound
} text_block;

/// Lines that a text takes.
uint32_t text_block_rows(const text_block *block, const bks_canvas *canvas, const char *text);

/// Draw a text. Lines break at two spaces or more, else at one, else between any two characters.
/// @param y  top of its first line
/// @return lines drawn
uint32_t text_block_draw(const text_block *block, const bks_canvas *canvas, float y,
                         bks_colour colour, const char *text);

/// What was drawn. Start from {0}.
typedef struct canvas_dry {
    uint64_t calls;     ///< shapes and texts asked for
    uint64_t refused;   ///< of them, those a canvas cannot draw: not finite, too few points
    uint64_t arguments; ///< digest of every argument, so that no call can be left out
} canvas_dry;

/// It as a canvas of a size, valid as long as `dry` is.
bks_canvas canvas_dry_canvas(canvas_dry *dry, float width, float height);

#endif
