// SPDX-License-Identifier: MIT

/// @file page_canvas.h
/// A canvas that records shapes in a list, which the page reads and draws.
///
/// The list is an array of 32-bit words. A shape is a word `kind | count << 8`, a colour
/// 0xRRGGBBAA, and the values that page_shape lists for its kind.

#ifndef BKS_WEB_PAGE_CANVAS_H
#define BKS_WEB_PAGE_CANVAS_H

#include "backstitch/plugin.h"

/// Kinds of shapes, with the values after the colour.
typedef enum page_shape {
    PAGE_SHAPE_CLEAR = 1, ///< no values
    PAGE_SHAPE_RECTANGLE, ///< x, y, width, height
    PAGE_SHAPE_POLYGON,   ///< count points
    PAGE_SHAPE_LINE,      ///< x0, y0, x1, y1, width
    PAGE_SHAPE_CIRCLE,    ///< x, y, radius
    PAGE_SHAPE_TEXT,      ///< x, y, size, then `count` bytes of ASCII, padded with zeros to whole
                          ///< words
} page_shape;

/// Number of glyphs from ' ' to '~'.
enum { PAGE_GLYPHS = 95 };

/// A canvas that records shapes. Start from {0}. Read the fields; only functions change them.
typedef struct page_canvas {
    uint32_t *words;             ///< the list
    size_t count;                ///< words in the list
    size_t capacity;             ///< size of the allocation, in words
    float advances[PAGE_GLYPHS]; ///< width of each glyph of the page's font at a text size of 1,
                                 ///< set by the page
} page_canvas;

/// Begin a new picture with an empty list.
/// @return a canvas that appends to the list, valid while `canvas` is not moved
bks_canvas page_canvas_begin(page_canvas *canvas, float width, float height);

#endif
