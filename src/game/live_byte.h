// SPDX-License-Identifier: MIT

/// @file live_byte.h
/// One byte of a game's values, drawn by the map: for planting faults.

#ifndef BKSI_LIVE_BYTE_H
#define BKSI_LIVE_BYTE_H

#include "backstitch/toolkit/state_map.h"

/// Draw a byte of a value in use, in which bit `bit` is the value's and may change: none of
/// padding, free items and bookkeeping, of a reference or a pointer, nor of a bool that would be
/// neither true nor false.
/// @param map    a sound one
/// @param state  its bytes
/// @param count  its bytes in use
/// @param draw   any number; the same state and number give the same byte, each as likely
/// @param bit    0..7
/// @param out    receives its offset in the state
/// @return false: there is none
bool bksi_live_byte_draw(const bks_state_map *map, const void *state, size_t count, uint64_t draw,
                         uint32_t bit, uint64_t *out);

#endif
