// SPDX-License-Identifier: MIT

/// @file vary_world.h
/// The variant of what a step may ask the system, for each kind of system in a file of its own.

#ifndef BKS_TOOL_VARY_WORLD_H
#define BKS_TOOL_VARY_WORLD_H

#include "diagnose/processes/check_parts.h"

void vary_world_prepare(variant_process *variant);
void vary_world_loaded(variant_process *variant);

#endif
