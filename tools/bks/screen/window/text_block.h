// SPDX-License-Identifier: MIT

/// @file text_block.h
/// Text that stays within a width: broken into lines where it is too long for one.

#ifndef BKS_TOOL_TEXT_BLOCK_H
#define BKS_TOOL_TEXT_BLOCK_H

#include "backstitch/plugin.h"

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

#endif
