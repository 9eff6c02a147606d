// SPDX-License-Identifier: MIT

/// @file layout_text.h The first difference between two layouts of inputs, or of named ranges of a
/// state, in words.

#ifndef BKS_TOOL_LAYOUT_TEXT_H
#define BKS_TOOL_LAYOUT_TEXT_H

#include "backstitch/game.h"

/// Size of the text about a field, in bytes.
enum { LAYOUT_TEXT_BYTES = 160 };

/// Find the first input field in which two layouts differ.
/// @param out  receives the field of each layout in words, unchanged if none differs
/// @return true if one differs
bool layout_text_inputs(const bks_field *a, uint32_t a_count, const bks_field *b, uint32_t b_count,
                        char out[2][LAYOUT_TEXT_BYTES]);

/// Find the first named range of the state in which two layouts differ, as layout_text_inputs()
/// does.
bool layout_text_ranges(const bks_state_range *a, uint32_t a_count, const bks_state_range *b,
                        uint32_t b_count, char out[2][LAYOUT_TEXT_BYTES]);

#endif
