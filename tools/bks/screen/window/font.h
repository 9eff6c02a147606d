// SPDX-License-Identifier: MIT

/// @file font.h
/// The tool's own little font: ASCII, drawn on a grid of 5 by 9 dots. Small text shows the dots;
/// larger text is drawn with round strokes from dot to dot, smooth at any size.

#ifndef BKS_TOOL_FONT_H
#define BKS_TOOL_FONT_H

#include <stdbool.h>
#include <stdint.h>

/// Number of glyphs, one for each character from ' ' to '~'.
enum { FONT_GLYPHS = 95 };

/// The font at one size. Start from {0}.
typedef struct font_face {
    uint32_t size_px;        ///< height of a line of text in pixels
    uint32_t cell_width_px;  ///< width of each glyph's mask in pixels
    uint32_t cell_height_px; ///< height of each glyph's mask in pixels
    uint8_t *masks;          ///< masks of all glyphs: coverage of each pixel, 0..255, row by row
    /// By glyph: true if its mask has been drawn. The first use of the glyph draws the mask.
    bool is_made[FONT_GLYPHS];
} font_face;

/// Open a font at a size, and release the old one.
/// @param size_px  1..512, clamped
/// @return false if memory ran out; the face is then empty
bool font_face_open(font_face *face, uint32_t size_px);

/// Release a font at one size. An empty one is allowed.
void font_face_close(font_face *face);

/// Return the index of a character's glyph, or of '?' if the font has no such glyph.
uint32_t font_glyph(char character);

/// Return the mask of a glyph, cell_width_px * cell_height_px bytes, valid until the face is
/// closed.
const uint8_t *font_mask(font_face *face, uint32_t glyph);

/// Return the distance to the next character, in pixels.
uint32_t font_advance_px(uint32_t size_px, char character);

/// Return the width of a text in pixels.
uint32_t font_width_px(uint32_t size_px, const char *text);

#endif
