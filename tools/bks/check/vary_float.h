// SPDX-License-Identifier: MIT

/// @file vary_float.h
/// Variants of floating-point numbers: another environment before each step, and invalid operations
/// trapped within it.

#ifndef BKS_TOOL_VARY_FLOAT_H
#define BKS_TOOL_VARY_FLOAT_H

#include "check/check_parts.h"

/// Of both variants.
void vary_float_prepare(check_guest *guest);

const char *vary_float_why_not(const check_guest *guest);
void vary_float_step(check_guest *guest, bks_tick tick);
void vary_float_calm(check_guest *guest);

const char *vary_undefined_why_not(const check_guest *guest);
void vary_undefined_step(check_guest *guest, bks_tick tick);
void vary_undefined_calm(check_guest *guest);

#endif
