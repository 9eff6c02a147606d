// SPDX-License-Identifier: MIT

/// @file weapon.h
/// A ship's gun: pressing fires at once, holding charges, letting go of a full charge fires three
/// lanes. Shots are few and come back one by one.

#ifndef DUEL_WEAPON_H
#define DUEL_WEAPON_H

#include "duel/duel_state.h"

enum {
    DUEL_RELOAD_TICKS = 40,
    DUEL_COOLDOWN_TICKS = 9,
};

/// One tick of the trigger.
/// @param fire  a duel_direction
void duel_weapon_step(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t fire);

#endif
