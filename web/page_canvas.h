// SPDX-License-Identifier: MIT

/// @file page_canvas.h
/// A canvas that writes down what is drawn, as a list that the page reads and draws.
///
/// The list is 32-bit words. Each shape is a word `kind | count << 8`, a colour 0xRRGGBBAA, and
/// floats: 1 clear: none; 2 rectangle: x, y, width, height; 3 polygon: count points; 4 line: x0,
/// y0, x1, y1, width; 5 circle: x, y, radius; 6 text: x, y, size, and behind them count bytes of
/// ASCII, filled up with zeros to whole words.

#ifndef BKS_WEB_PAGE_CANVAS_H
#define BKS_WEB_PAGE_CANVAS_H

#include "backstitch/plugin.h"

/// Glyphs from ' ' to '~'.
enum { PAGE_GLYPHS = 95 };

/// Start from {0}. Read the fields; the functions change them.
typedef struct page_canvas {
    uint32_t *words;             ///< the list
    size_t count;                ///< of its words
    size_t capacity;             ///< of them
    float advances[PAGE_GLYPHS]; ///< how wide each glyph of the page's font is, at a size of 1;
                                 ///< the page writes them
} page_canvas;

/// Begin a new picture; the list is empty then.
/// @return a canvas that draws on it, as long as `canvas` stays where it is
bks_canvas page_canvas_begin(page_canvas *canvas, float width, float height);

#endif
