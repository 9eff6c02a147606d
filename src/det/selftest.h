// SPDX-License-Identifier: MIT

/// @file selftest.h
/// Self-test of arithmetic: whether this machine calculates as others do. Each operation that a
/// step may use is tried on operands that are easy to get wrong, and its results have a hash of
/// their own, so that two machines that differ can name the operation. docs/spec/arithmetic.md has
/// the operands and the sums that IEEE 754 demands.
///
/// The self-test covers how this library was compiled, and the state of the processor for the
/// calling thread (rounding, denormals flushed to zero). It cannot test how a game was compiled.

#ifndef BKSI_SELFTEST_H
#define BKSI_SELFTEST_H

#include "backstitch/det.h"

#define BKSI_ARITHMETIC_OPS 16u

/// Results of the self-test: for each operation 16 bits of the hash of its results.
typedef struct bksi_arithmetic {
    uint16_t sums[BKSI_ARITHMETIC_OPS];
} bksi_arithmetic;

/// Run the self-test, which takes some 100 us.
void bksi_arithmetic_test(bksi_arithmetic *arithmetic);

/// Results of a machine that follows IEEE 754 and rounds to nearest.
extern const bksi_arithmetic bksi_arithmetic_right;

/// Return the name of an operation, such as "float /".
/// @param op  below BKSI_ARITHMETIC_OPS
const char *bksi_arithmetic_name(uint32_t op);

/// Return the first operation whose results differ between two machines, BKSI_ARITHMETIC_OPS if
/// there is none.
uint32_t bksi_arithmetic_compare(const bksi_arithmetic *a, const bksi_arithmetic *b);

#endif
