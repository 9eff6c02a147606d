// SPDX-License-Identifier: MIT

/// @file state_text.h
/// Text in the bytes of a state that have no type, such as what `save` wrote by printf.

#ifndef BKSI_GAME_STATE_TEXT_H
#define BKSI_GAME_STATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A range of a state's bytes.
typedef struct bksi_text_span {
    uint64_t begin;
    uint64_t end;
} bksi_text_span;

/// Find the text around a byte, cut to what is worth showing.
/// @param bytes   the state
/// @param within  bytes of the state that may be part of the text; within.end is in the state
/// @param at      the byte; within.end for the text before it
/// @param out     receives the bytes of the text
/// @return false if there is none: the bytes are too few, or no printable UTF-8
bool bksi_text_find(const uint8_t *bytes, bksi_text_span within, uint64_t at, bksi_text_span *out);

/// Write a text in quotes, with quotes, backslashes and line ends escaped.
/// @param capacity  size of `out`, at least 8; the text is cut between two characters if it does
///                  not fit
void bksi_text_print(const uint8_t *bytes, bksi_text_span text, char *out, size_t capacity);

#endif
