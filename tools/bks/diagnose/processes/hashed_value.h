// SPDX-License-Identifier: MIT

/// @file hashed_value.h Finds the first differing value of two states that the game's own hash
/// reads. A value that it leaves out, such as a text for the screen, may have differed for long.

#ifndef BKS_TOOL_HASHED_VALUE_H
#define BKS_TOOL_HASHED_VALUE_H

#include "diagnose/processes/stepper.h"
#include "map/state_names.h"

/// Make equal in `expected` the values that differ and that the hash leaves out, up to the first
/// that it reads. Without effect unless the game has a hash of its own and a state that is saved as
/// it lies in memory.
/// @param own       state of the stepper, which is altered and restored meanwhile
/// @param expected  bytes of the other state, as many
/// @return false: the hash reads none of the values looked at, and `expected` names nothing
bool hashed_value_first(const check_stepper *stepper, const state_names *names,
                        const bks_compared_state *own, uint8_t *expected);

/// Return true if the hash is another one with the other state's value, or if the game has none of
/// its own. Return false, too, where that cannot be tried.
/// @param place  place of a number, see state_place_is_number()
bool hashed_value_is_read(const check_stepper *stepper, const bks_compared_state *own,
                          const bks_map_place *place, const uint8_t *expected);

#endif
