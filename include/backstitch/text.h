// SPDX-License-Identifier: MIT

/// @file text.h
/// Letters for a debug display, for a program that draws boxes and has no font: ASCII on a grid of
/// 5 by 9 dots.
///
///     bks_text_box boxes[1024];
///     const uint32_t count = bks_text_boxes("delay 2", 8.0f, 8.0f, 2.0f, boxes, 1024);
///     for (uint32_t i = 0; i < count; i++) {
///         SDL_RenderFillRectF(renderer, &(SDL_FRect){boxes[i].x, boxes[i].y, boxes[i].width,
///                                                    boxes[i].height});
///     }
///
/// Thread rule: plain functions on the caller's memory; call from any thread.

#ifndef BACKSTITCH_TEXT_H
#define BACKSTITCH_TEXT_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows of a character: seven of a capital letter, two below the line.
#define BKS_TEXT_ROWS 9u

/// Columns of a character.
#define BKS_TEXT_COLUMNS 5u

/// A part of a letter to be filled. In the unit of what is drawn on; x to the right, y down.
typedef struct bks_text_box {
    float x;      ///< its left edge
    float y;      ///< its upper edge
    float width;  ///< above 0
    float height; ///< above 0
} bks_text_box;

/// The boxes of a text, at most 17 for each character. Letters are as wide as they need, digits
/// all the same; a line is ten dots high.
/// @param text      ASCII, zero-terminated, not NULL; a newline begins the next line at x, what is
///                  not printable is shown as ?
/// @param x, y      its upper left corner
/// @param dot       width and height of a dot, above 0
/// @param boxes     receives them, not NULL unless capacity is 0
/// @param capacity  of `boxes`; more are left out
/// @return how many were written
BKS_API uint32_t bks_text_boxes(const char *text, float x, float y, float dot, bks_text_box *boxes,
                                uint32_t capacity);

/// The dots of a character, for a font of your own.
/// @param character  what is not printable ASCII is shown as ?
/// @param rows       receives them from the top, not NULL: bit 4 is the leftmost dot
BKS_API void bks_text_dots(char character, uint8_t rows[BKS_TEXT_ROWS]);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TEXT_H
