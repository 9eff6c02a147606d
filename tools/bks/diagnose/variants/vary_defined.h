// SPDX-License-Identifier: MIT

/// @file vary_defined.h
/// The variant `defined`: no other bytes, but valgrind knows which were never written.

#ifndef BKS_TOOL_VARY_DEFINED_H
#define BKS_TOOL_VARY_DEFINED_H

#include "diagnose/processes/check_parts.h"

void vary_defined_prepare(check_guest *guest);
const char *vary_defined_why_not(const check_guest *guest);
void vary_defined_marked(check_guest *guest, bks_tick tick, const char *mark);
void vary_defined_step(check_guest *guest, bks_tick tick);

#endif
