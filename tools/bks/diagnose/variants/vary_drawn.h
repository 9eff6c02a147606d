// SPDX-License-Identifier: MIT

/// @file vary_drawn.h
/// Variants of what looks at a state: the game's own check, and all that draws and guesses.

#ifndef BKS_TOOL_VARY_DRAWN_H
#define BKS_TOOL_VARY_DRAWN_H

#include "diagnose/processes/check_parts.h"

const char *vary_derived_why_not(const variant_process *variant);
void vary_derived_step(variant_process *variant, bks_tick tick);

const char *vary_drawn_why_not(const variant_process *variant);
void vary_drawn_step(variant_process *variant, bks_tick tick);

#endif
