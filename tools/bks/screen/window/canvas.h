// SPDX-License-Identifier: MIT

/// @file canvas.h
/// Parts that all canvases share: the size of letters, lines as polygons, text broken into
/// lines within a width, and a canvas without a picture.

#ifndef BKS_TOOL_CANVAS_H
#define BKS_TOOL_CANVAS_H

#include "backstitch/plugin.h"

/// Most points of a polygon.
enum { CANVAS_POINTS_MAX = 16 };

/// Return the font size in which a size of text is drawn.
uint32_t canvas_text_px(float size);

/// `text_width` of every canvas that draws with the font.
/// @param context  not used
float canvas_text_width(void *context, float size, const char *text);

/// Turn a line into a polygon of four points.
/// @param out  receives x and y of each
/// @return false: the line has no length, and nothing is to be drawn
bool canvas_line_corners(float x0, float y0, float x1, float y1, float width, float out[8]);

/// Layout of a block of text.
typedef struct text_block {
    float left;
    float width;       ///< width of the longest line, unless a single character is wider
    float size;        ///< height of a line of text
    float pitch;       ///< distance from one line to the next
    bool is_centred;   ///< each line stands in the middle of `width`; false: at the left
    uint32_t rows_max; ///< most lines, the rest is left out; 0: no limit
} text_block;

/// Count the lines of a text.
uint32_t text_block_rows(const text_block *block, const bks_canvas *canvas, const char *text);

/// Draw a text. Lines break at two spaces or more, else at one, else between any two characters.
/// @param y  top of its first line
/// @return lines drawn
uint32_t text_block_draw(const text_block *block, const bks_canvas *canvas, float y,
                         bks_colour colour, const char *text);

/// Count and digest of what was drawn. Start from {0}.
typedef struct canvas_dry {
    uint64_t calls;     ///< shapes and texts asked for
    uint64_t refused;   ///< calls that a canvas cannot draw: not finite, too few points
    uint64_t arguments; ///< digest of every argument, so that no call can be left out
} canvas_dry;

/// Return a canvas of a size that draws nothing: a game does all its drawing work, and the calls
/// are checked, counted and dropped. Valid as long as `dry` is.
bks_canvas canvas_dry_canvas(canvas_dry *dry, float width, float height);

#endif
