// SPDX-License-Identifier: MIT

/// @file vary_set.h
/// Variants that set one thing to a value: what lies on the stack, what the system's random numbers
/// are, where stack, heap and plug-in lie. `bks doctor` chooses the values.

#ifndef BKS_TOOL_VARY_SET_H
#define BKS_TOOL_VARY_SET_H

#include "diagnose/processes/check_parts.h"

void vary_set_prepare(variant_process *variant);
const char *vary_set_why_not(const variant_process *variant);

#endif
