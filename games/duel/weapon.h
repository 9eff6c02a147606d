// SPDX-License-Identifier: MIT

/// @file weapon.h
/// A ship's gun. Pressing fires at once, holding charges, and releasing a full charge fires in
/// three lanes. A ship has few shots, which reload one by one.

#ifndef DUEL_WEAPON_H
#define DUEL_WEAPON_H

#include "duel/duel_state.h"

enum {
    DUEL_RELOAD_TICKS = 40,
    DUEL_COOLDOWN_TICKS = 9,
};

/// Step the trigger by one tick.
/// @param fire  a duel_direction
void duel_weapon_step(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t fire);

#endif
