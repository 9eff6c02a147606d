// SPDX-License-Identifier: MIT

/// @file vary_undefined.h
/// The variant of invalid operations of floating-point numbers, which are trapped within each step.

#ifndef BKS_TOOL_VARY_UNDEFINED_H
#define BKS_TOOL_VARY_UNDEFINED_H

#include "diagnose/processes/check_parts.h"

const char *vary_undefined_why_not(const variant_process *variant);
void vary_undefined_step(variant_process *variant, bks_tick tick);
void vary_undefined_calm(variant_process *variant);

#endif
