// SPDX-License-Identifier: MIT

/// @file whole.h
/// Whether a state can be stepped at all. The lab plants faults by flipping bits, and somebody's
/// wild pointer may do the same: a match that is no longer one then stands still, to be found out
/// by its hash, instead of taking the program down.

#ifndef DUEL_WHOLE_H
#define DUEL_WHOLE_H

#include "duel/duel_state.h"

/// Whether everything that leads to memory, by way of a seat, a tile or a table, is in its range.
/// References and what pools keep of themselves are taken as good.
bool duel_is_whole(const duel_state *duel);

#endif
