// SPDX-License-Identifier: MIT

/// @file float_setting.h
/// How the processor calculates with floating-point numbers, set oddly: on x86-64.

#ifndef BKS_TOOL_FLOAT_SETTING_H
#define BKS_TOOL_FLOAT_SETTING_H

#include <stdbool.h>
#include <stdint.h>

/// Settings that a library may leave.
#define FLOAT_SETTINGS 6u

/// Whether this can be done here at all.
bool float_setting_is_possible(void);

/// Set the calling thread's environment oddly: another rounding, flushed denormals, fewer digits of
/// the x87, all of these.
/// @param which  any number, taken modulo FLOAT_SETTINGS
void float_setting_choose(uint32_t which);

/// Back to what a process begins with.
void float_setting_clear(void);

#endif
