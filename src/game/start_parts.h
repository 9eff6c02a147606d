// SPDX-License-Identifier: MIT

/// @file start_parts.h
/// Parts of a state, by which peers find out where their states of the first tick differ. A part is
/// a named range of the game or, if the game names none, a piece of equal size. docs/spec/wire.md
/// defines the parts.

#ifndef BKSI_START_PARTS_H
#define BKSI_START_PARTS_H

#include "game/runner.h"

/// Most parts into which a state is divided.
#define BKSI_START_PARTS_MAX 120u

/// Hash the parts of the present state, each within the bytes in use. A game without a region is
/// saved to slot 0 first, and the parts are those of the saved bytes.
/// @param capacity  length of `out`, the most hashes written
/// @return number of hashes; 0 if the state has no accessible bytes
uint32_t bksi_start_parts_hash(bksi_runner *runner, uint64_t *out, uint32_t capacity);

/// Describe what some parts of the present state hold, by the game's map or its pools: "in
/// root.flag", or "somewhere in ball[0..2], root.score and more". A game without a region is saved
/// to slot 0 first.
/// @param differ    one bit for each part, lowest first: 1 if the part is to be described
/// @param count     number of all parts
/// @param out       receives the text, which is cut if it is too long
/// @param capacity  bytes of `out`, at least 1
/// @return length of the text; 0 if it would tell no more than the names of the parts
size_t bksi_start_parts_name(bksi_runner *runner, const uint8_t *differ, uint32_t count, char *out,
                             size_t capacity);

#endif
