// SPDX-License-Identifier: MIT

/// @file vary_defined.h
/// The variant `defined`: no other bytes, but valgrind knows which were never written.

#ifndef BKS_TOOL_VARY_DEFINED_H
#define BKS_TOOL_VARY_DEFINED_H

#include "diagnose/processes/check_parts.h"

void vary_defined_prepare(variant_process *variant);
const char *vary_defined_why_not(const variant_process *variant);
void vary_defined_marked(variant_process *variant, bks_tick tick, const char *mark);
void vary_defined_step(variant_process *variant, bks_tick tick);

#endif
