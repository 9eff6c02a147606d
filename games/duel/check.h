// SPDX-License-Identifier: MIT

/// @file check.h
/// Whether a state can be stepped and drawn at all. It may come from a file that somebody made up;
/// and the lab plants faults by flipping bits, as somebody's wild pointer may. A match that is no
/// longer one then stands still, to be found out by its hash, instead of taking the program down.

#ifndef DUEL_CHECK_H
#define DUEL_CHECK_H

#include "duel/duel_state.h"

/// bks_game.check: whether everything that leads to memory, by way of a reference, a seat, a tile
/// or a table, and everything that is multiplied, is in its range.
/// @return NULL when it is, else what is wrong, static
const char *duel_check(const void *state);

#endif
