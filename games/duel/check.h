// SPDX-License-Identifier: MIT

/// @file check.h
/// Checks that a state can be stepped and drawn. An attacker may have made its file, and the lab
/// plants faults by flipping bits, as a wild pointer may. An invalid match stands still, so that
/// its hash reveals it, instead of crashing the program.

#ifndef DUEL_CHECK_H
#define DUEL_CHECK_H

#include "duel/duel_state.h"

/// Callback bks_game.check: check the range of every value that leads to memory (references, seats,
/// tiles, table indices), and of every value that is multiplied.
/// @return NULL if all are in range, else a static text that says what is wrong
const char *duel_check(const void *state);

#endif
