// SPDX-License-Identifier: MIT

/// @file matrix.h
/// What each machine of scripts/matrix prints: lines of a name and 16 hexadecimal digits.

#ifndef TEST_MATRIX_H
#define TEST_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

void matrix_print(const char *name, uint64_t digest);

/// The digest of each function of det, and "all", the digest of these.
/// @param quick  of every 16th of the drawn numbers
void matrix_math(bool quick);

/// The hash by map of the state of a recorded match, every 600 ticks and at its end.
/// @return whether it could be stepped to its end; stderr says why not
bool matrix_duel(void);

#endif
