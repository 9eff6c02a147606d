// SPDX-License-Identifier: MIT

/// @file start_parts.h
/// Parts of a state, by which peers find out in what their states of the first tick differ: the
/// game's named ranges or, where it names none, pieces of equal size. docs/spec/wire.md has them.

#ifndef BKSI_START_PARTS_H
#define BKSI_START_PARTS_H

#include "game/runner.h"

/// Most of them.
#define BKSI_START_PARTS_MAX 120u

/// Hashes of the parts of the state as it is, each as far as it lies in the bytes in use. Of a game
/// without a region they lie in what `save` writes, for which slot 0 is overwritten.
/// @param capacity  length of out: no more are given
/// @return how many; 0 when the state has no bytes to look at
uint32_t bksi_start_parts_hash(bksi_runner *runner, uint64_t *out, uint32_t capacity);

/// Say what lies in some parts of the state as it is, by the game's map, else by its pools:
/// "in root.flag", or "somewhere in ball[0..2], root.score and more". Slot 0 as above.
/// @param differ    bits of those parts, the lowest first
/// @param count     parts that there are
/// @param out       receives the text; its end is left out when it does not fit
/// @param capacity  of `out`, at least 1
/// @return its length, 0: nothing is known that the parts' own names would not say
size_t bksi_start_parts_name(bksi_runner *runner, const uint8_t *differ, uint32_t count, char *out,
                             size_t capacity);

#endif
