// SPDX-License-Identifier: MIT

/// @file random_fix.h
/// The system's random numbers that games ask for, made the same in each run: the program defines
/// getrandom, getentropy and arc4random, and asks the system until numbers are fixed. It affects
/// the whole process. Devices and the processor's own instruction are not changed.

#ifndef BKS_TOOL_RANDOM_FIX_H
#define BKS_TOOL_RANDOM_FIX_H

#include <stdint.h>

/// From now on the numbers are those of a seed, beginning with its first.
/// @param seed  any
void random_fix_begin(uint64_t seed);

/// From now on each number is this one: its lowest bytes, least first.
void random_fix_answer(uint64_t number);

#endif
