// SPDX-License-Identifier: MIT

/// @file live_byte.h
/// Random choice of a byte among a game's values, for planted faults.

#ifndef BKSI_LIVE_BYTE_H
#define BKSI_LIVE_BYTE_H

#include "backstitch/toolkit/state_map.h"

/// Draw a byte of a value in use, to change its bit `bit`. Padding, free items, bookkeeping,
/// references and pointers are never drawn, nor is a bool that would become neither true nor false.
/// @param map    a checked map
/// @param state  bytes of the state
/// @param count  number of bytes in use
/// @param draw   any number; the same state and number give the same byte, and all bytes are
///               equally likely
/// @param bit    bit of the byte, 0..7
/// @param out    receives the byte's offset in the state
/// @return false if no byte may be drawn
bool bksi_live_byte_draw(const bks_state_map *map, const void *state, size_t count, uint64_t draw,
                         uint32_t bit, uint64_t *out);

#endif
