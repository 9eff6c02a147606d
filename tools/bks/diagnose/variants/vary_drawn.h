// SPDX-License-Identifier: MIT

/// @file vary_drawn.h
/// Variants of what looks at a state: the game's own check, and all that draws and guesses.

#ifndef BKS_TOOL_VARY_DRAWN_H
#define BKS_TOOL_VARY_DRAWN_H

#include "diagnose/processes/check_parts.h"

const char *vary_derived_why_not(const check_guest *guest);
void vary_derived_step(check_guest *guest, bks_tick tick);

const char *vary_drawn_why_not(const check_guest *guest);
void vary_drawn_step(check_guest *guest, bks_tick tick);

#endif
