// SPDX-License-Identifier: MIT

/// @file check_mathematics.h
/// The C library has several forms of its mathematics and chooses by processor; their last bits
/// differ.

#ifndef BKS_TOOL_CHECK_MATHEMATICS_H
#define BKS_TOOL_CHECK_MATHEMATICS_H

#include "diagnose/processes/check_tape.h"

/// Names of the functions, CHECK_MATHEMATICS of them.
extern const char *const check_mathematics_names[CHECK_MATHEMATICS];

/// Which form of each this process calls: where it lies in its library.
void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS]);

#endif
