// SPDX-License-Identifier: MIT

/// @file vary_float_parts.h
/// What the variants of how the processor calculates have in common.

#ifndef BKS_TOOL_VARY_FLOAT_PARTS_H
#define BKS_TOOL_VARY_FLOAT_PARTS_H

#include "diagnose/processes/check_parts.h"
#include "diagnose/variants/float_catch.h"

/// The mark at which something that happened within a step was seen first.
/// @return the same text each time, to be emptied before a step
char *vary_float_seen_at(void);

/// Something was seen to have happened.
void vary_float_see(const variant_process *variant);

/// How a runner's steps are guarded from now on; what cannot be done is found as a difference.
void vary_float_guard(variant_process *variant, bks_runner_floats floats);

/// Where it was caught, in the game's own code where that is on the stack.
/// @param line  receives the line, where it is known
/// @param out   receives a text in any case
void vary_float_place(const variant_process *variant, const float_catch *caught, code_line *line,
                      char *out, size_t capacity);

#endif
