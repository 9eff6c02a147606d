// SPDX-License-Identifier: MIT

/// @file canvas.h
/// Shared code of all canvases: sizes of letters, lines as polygons, text broken into lines, and a
/// canvas that draws nothing.

#ifndef BKS_TOOL_CANVAS_H
#define BKS_TOOL_CANVAS_H

#include "backstitch/plugin.h"

/// Maximum number of points of a polygon.
enum { CANVAS_POINTS_MAX = 16 };

/// Convert the height of text in the canvas's units to the font's size in pixels.
uint32_t canvas_text_px(float size);

/// Return the width of a text: `text_width` of every canvas that draws with the font.
/// @param context  not used
float canvas_text_width(void *context, float size, const char *text);

/// Turn a line into a polygon of four points.
/// @param out  receives x and y of each point
/// @return false if the line has no length, so nothing needs to be drawn
bool canvas_line_corners(float x0, float y0, float x1, float y1, float width, float out[8]);

/// Layout of a block of text.
typedef struct text_block {
    float left;
    float width;       ///< width of the longest line, unless a single character is wider
    float size;        ///< height of a line of text
    float pitch;       ///< distance from one line to the next
    bool is_centred;   ///< true: each line is centred in `width`; false: lines begin at the left
    uint32_t rows_max; ///< most lines to draw; 0: no limit
} text_block;

/// Count the lines of a text.
uint32_t text_block_rows(const text_block *block, const bks_canvas *canvas, const char *text);

/// Draw a text. Lines break at two or more spaces, else at one space, else between any two
/// characters.
/// @param y  top of the first line
/// @return number of lines drawn
uint32_t text_block_draw(const text_block *block, const bks_canvas *canvas, float y,
                         bks_colour colour, const char *text);

/// Number and digest of drawing calls. Start from {0}.
typedef struct canvas_dry {
    uint64_t calls;     ///< number of shapes and texts asked for
    uint64_t refused;   ///< number of calls with invalid arguments: not finite, or too few points
    uint64_t arguments; ///< digest of all arguments, so that the compiler cannot leave out any call
} canvas_dry;

/// Return a canvas that checks and counts calls but draws nothing. A game does all its drawing work
/// on it. Valid as long as `dry` is.
bks_canvas canvas_dry_canvas(canvas_dry *dry, float width, float height);

#endif
