// SPDX-License-Identifier: MIT

/// @file selftest.h
/// Does this machine calculate as the others do? Each operation that a step may use is tried on
/// operands that are easy to get wrong, and its results are hashed by themselves, so that two
/// machines that differ can name the operation. docs/spec/arithmetic.md has the operands and the
/// sums that IEEE 754 demands.
///
/// What it sees is how this library was compiled and what state the processor is in (rounding,
/// denormals flushed to zero), for the thread that calls it. How a game was compiled it cannot see.

#ifndef BKSI_SELFTEST_H
#define BKSI_SELFTEST_H

#include "backstitch/det.h"

#define BKSI_ARITHMETIC_OPS 16u

/// By operation, 16 bits of the hash of its results.
typedef struct bksi_arithmetic {
    uint16_t sums[BKSI_ARITHMETIC_OPS];
} bksi_arithmetic;

/// Try everything. Takes some 100 us.
void bksi_arithmetic_test(bksi_arithmetic *arithmetic);

/// What the sums are where IEEE 754 is kept, rounding to nearest.
extern const bksi_arithmetic bksi_arithmetic_right;

/// An operation for people, such as "float /".
/// @param op  below BKSI_ARITHMETIC_OPS
const char *bksi_arithmetic_name(uint32_t op);

/// The first operation with another sum, BKSI_ARITHMETIC_OPS when there is none.
uint32_t bksi_arithmetic_compare(const bksi_arithmetic *a, const bksi_arithmetic *b);

#endif
