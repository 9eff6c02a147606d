// SPDX-License-Identifier: MIT

/// @file vary_float.h
/// The variant of how the processor calculates: another environment before each step.

#ifndef BKS_TOOL_VARY_FLOAT_H
#define BKS_TOOL_VARY_FLOAT_H

#include "diagnose/processes/check_parts.h"

/// Of vary_undefined.h, too.
void vary_float_prepare(variant_process *variant);

const char *vary_float_why_not(const variant_process *variant);
void vary_float_step(variant_process *variant, bks_tick tick);
void vary_float_calm(variant_process *variant);

#endif
