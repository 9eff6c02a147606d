// SPDX-License-Identifier: MIT

/// @file pickups.h
/// Pickups lie on a tile for a while and help the ship that takes them.

#ifndef DUEL_PICKUPS_H
#define DUEL_PICKUPS_H

#include "duel/duel_state.h"

enum {
    DUEL_PICKUP_LIFE_TICKS = 13 * 60,
};

/// Step the pickups: they appear, are taken and vanish.
void duel_pickups_step(duel_state *duel, const bks_step *step);

#endif
