// SPDX-License-Identifier: MIT

/// @file page_canvas.h
/// A canvas that writes down what is drawn, as a list that the page reads and draws.
///
/// The list is 32-bit words. Each shape is a word `kind | count << 8`, a colour 0xRRGGBBAA, and
/// what stands beside its kind in page_shape.

#ifndef BKS_WEB_PAGE_CANVAS_H
#define BKS_WEB_PAGE_CANVAS_H

#include "backstitch/plugin.h"

/// The kinds of shapes, and the floats behind the colour.
typedef enum page_shape {
    PAGE_SHAPE_CLEAR = 1, ///< none
    PAGE_SHAPE_RECTANGLE, ///< x, y, width, height
    PAGE_SHAPE_POLYGON,   ///< count points
    PAGE_SHAPE_LINE,      ///< x0, y0, x1, y1, width
    PAGE_SHAPE_CIRCLE,    ///< x, y, radius
    PAGE_SHAPE_TEXT,      ///< x, y, size, and behind them count bytes of ASCII, filled up with
                          ///< zeros to whole words
} page_shape;

/// Glyphs from ' ' to '~'.
enum { PAGE_GLYPHS = 95 };

/// Start from {0}. Read the fields; the functions change them.
typedef struct page_canvas {
    uint32_t *words;             ///< the list
    size_t count;                ///< words in the list
    size_t capacity;             ///< words that there is room for
    float advances[PAGE_GLYPHS]; ///< how wide each glyph of the page's font is, at a size of 1;
                                 ///< the page writes them
} page_canvas;

/// Begin a new picture; the list is empty then.
/// @return a canvas that draws on it, as long as `canvas` stays where it is
bks_canvas page_canvas_begin(page_canvas *canvas, float width, float height);

#endif
