// SPDX-License-Identifier: MIT

/// @file canvas_soft.h
/// A canvas that draws into memory, with smooth edges, blending and text. The terminal and
/// screenshots show its picture.
///
///     canvas_soft picture = {0};
///     if (canvas_soft_resize(&picture, 1280, 720)) {
///         const bks_canvas canvas = canvas_soft_canvas(&picture, false);
///         plugin->draw(state, &canvas);
///     }
///     canvas_soft_close(&picture);

#ifndef BKS_TOOL_CANVAS_SOFT_H
#define BKS_TOOL_CANVAS_SOFT_H

#include "backstitch/plugin.h"
#include "screen/window/font.h"

/// Maximum width and height of a picture in pixels.
enum { CANVAS_SOFT_SIDE_MAX = 8192 };

/// Number of text sizes whose fonts are ready.
enum { CANVAS_SOFT_FACES = 6 };

/// A picture in memory. Start from {0}.
typedef struct canvas_soft {
    uint32_t width;  ///< width of the picture in pixels
    uint32_t height; ///< height of the picture in pixels
    uint8_t *rgb;    ///< colours of the picture, three bytes a pixel, row by row from the top
    float *cover;    ///< coverage of one row while a shape is filled
    font_face faces[CANVAS_SOFT_FACES]; ///< fonts of the text sizes used last
    uint32_t next_face;                 ///< index of the font that is replaced next
} canvas_soft;

/// Set the size of a picture and make it black.
/// @param width, height  1..CANVAS_SOFT_SIDE_MAX
/// @return false if memory ran out or the size is out of range; the picture is then closed
bool canvas_soft_resize(canvas_soft *picture, uint32_t width, uint32_t height);

/// Release a picture. An empty one is allowed.
void canvas_soft_close(canvas_soft *picture);

/// Return the canvas of a picture, valid until the picture is resized or closed.
/// @param is_coarse  as in bks_canvas
bks_canvas canvas_soft_canvas(canvas_soft *picture, bool is_coarse);

#endif
