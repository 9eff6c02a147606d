// SPDX-License-Identifier: MIT

/// @file state_difference.h
/// The first difference of two states whose hashes differ: its name, and what both hold there.

#ifndef BKSI_STATE_DIFFERENCE_H
#define BKSI_STATE_DIFFERENCE_H

#include "backstitch/state_compare.h"

/// Find it.
/// @param states    two that a game takes for different
/// @param place     receives the first value that differs; padding, free space and bookkeeping only
///                  where no value does; "(unnamed).hash" where the bytes are the same, and only
///                  the game's own hash is not
/// @param values    receive what each holds there: as its type reads, else up to 16 bytes
/// @param capacity  of each of them, at least 64
void bksi_state_difference_find(const bks_state_names *names, const bks_compared_state states[2],
                                bks_map_place *place, char *const values[2], size_t capacity);

#endif
