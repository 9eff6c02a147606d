// SPDX-License-Identifier: MIT

// Floats as bits, and the test whether an inexact result can round to one float only.
//
// Source of the method: A. Ziv, "Fast evaluation of elementary mathematical functions with
// correctly rounded last bit", 1991 [Ziv]. A quick result with a known error bound is rounded if
// everything within the bound rounds alike; otherwise the function is computed again in pairs of
// doubles.

#ifndef BKSI_DET_MATH_BITS_H
#define BKSI_DET_MATH_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BKSI_FLOAT_SIGN     0x80000000u
#define BKSI_FLOAT_INFINITY 0x7F800000u
#define BKSI_FLOAT_NAN      0x7FC00000u

#define BKSI_DOUBLE_SIGN     0x8000000000000000u
#define BKSI_DOUBLE_INFINITY 0x7FF0000000000000u
#define BKSI_DOUBLE_NAN      0x7FF8000000000000u

/// Constant that rounds a number below 2^51 to an integer when added and subtracted again. After
/// the addition the integer is in the lowest bits.
#define BKSI_SHIFTER 0x1.8p52

static inline uint32_t bksi_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float bksi_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint64_t bksi_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double bksi_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/// Return the magnitude `value`, at least 0, with the sign of x.
static inline float bksi_with_sign_of(float value, float x)
{
    return bksi_float_of(bksi_float_bits(value) | (bksi_float_bits(x) & BKSI_FLOAT_SIGN));
}

static inline double bksi_double_with_sign_of(double value, double x)
{
    return bksi_double_of((bksi_double_bits(value) & ~BKSI_DOUBLE_SIGN) |
                          (bksi_double_bits(x) & BKSI_DOUBLE_SIGN));
}

/// Return `a` if `mask` is 0, `b` if it is all ones. This takes no branch, because a branch would
/// often be mispredicted.
static inline double bksi_select(double a, double b, uint64_t mask)
{
    return bksi_double_of((bksi_double_bits(a) & ~mask) | (bksi_double_bits(b) & mask));
}

/// Return 2^k.
/// @param k  -1022 to 1023
static inline double bksi_power_of_2(int32_t k)
{
    return bksi_double_of((uint64_t)(k + 1023) << 52);
}

/// Return true if every number within `slack` units in the last place of `y` rounds to the same
/// float: the 29 bits that a float lacks must not be close to a midpoint.
/// @param y  number whose float is normal
/// @param slack  2^14 / 2^k for a relative error of at most 2^-39 / 2^k
static inline bool bksi_is_decided(double y, uint32_t slack)
{
    const uint32_t beyond_float = (uint32_t)bksi_double_bits(y) << 3;
    return beyond_float - ((0x10000000u - slack) << 3) > slack << 4;
}

#endif
