// SPDX-License-Identifier: MIT

/// @file range_value.h
/// Elements of a game's ranges (bks_game.ranges) as text.

#ifndef BKS_TOOL_RANGE_VALUE_H
#define BKS_TOOL_RANGE_VALUE_H

#include "backstitch/state.h"
#include "base/json.h"

enum { RANGE_VALUE_BYTES = 32 };

/// One element as text; a byte without a type as two hexadecimal digits.
/// @param at  its bytes, need not be aligned
void range_value_text(bks_state_type type, const uint8_t *at, char out[RANGE_VALUE_BYTES]);

/// Write it into the array that is open: whole numbers as such, others (which JSON has no words for
/// when they are infinite) and bytes as text.
void range_value_json(json *j, bks_state_type type, const uint8_t *at);

#endif
