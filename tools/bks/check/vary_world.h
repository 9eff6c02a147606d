// SPDX-License-Identifier: MIT

/// @file vary_world.h
/// Variants of what surrounds the steps: the system, the game's own check, those who look.

#ifndef BKS_TOOL_VARY_WORLD_H
#define BKS_TOOL_VARY_WORLD_H

#include "check/check_parts.h"

void vary_world_prepare(check_guest *guest);
void vary_world_loaded(check_guest *guest);

const char *vary_derived_why_not(const check_guest *guest);
void vary_derived_step(check_guest *guest, bks_tick tick);

const char *vary_drawn_why_not(const check_guest *guest);
void vary_drawn_step(check_guest *guest, bks_tick tick);

#endif
