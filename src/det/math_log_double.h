// SPDX-License-Identifier: MIT

// How log and pow take a double apart.

#ifndef BKSI_DET_MATH_LOG_DOUBLE_H
#define BKSI_DET_MATH_LOG_DOUBLE_H

#include "det/math_bits.h"
#include "det/math_tables.h"

#define BKSI_NORMAL_DOUBLE 0x0010000000000000u

/// log(x) = high + low + log(1 + r + rest), with r from -2^-8 to 2^-8, up to 2^-7 where the others
/// are 0.
typedef struct bksi_log_whole {
    double high; ///< a multiple of 2^-42
    double low;
    double r;
    double rest;
} bksi_log_whole;

/// @param x  positive and finite
static inline bksi_log_whole bksi_log_take_apart(double x)
{
    uint64_t bits = bksi_double_bits(x);
    int32_t exponent = 0;
    if (bits < BKSI_NORMAL_DOUBLE) {
        bits = bksi_double_bits(x * 0x1p54);
        exponent = -54;
    }
    const uint64_t above = bits - BKSI_LOG_BEGIN;
    const uint64_t moved = above & 0xFFF0000000000000u;
    const bksi_log_step *step = &bksi_log_table[(above >> 45) & (BKSI_LOG_STEPS - 1)];
    exponent += (int32_t)((uint32_t)(moved >> 52) ^ 0x800u) - 0x800;
    // 1/c has 24 bits: times the upper and times the lower half of the mantissa it is exact.
    const double mantissa = bksi_double_of(bits - moved);
    const double upper = bksi_double_of((bits - moved) & ~(uint64_t)0x7FFFFFF);
    const double r_upper = upper * step->inverse - 1.0;
    const double r_lower = (mantissa - upper) * step->inverse;
    const double r = r_upper + r_lower;
    return (bksi_log_whole){
        exponent * 0x1.62e42fefa3800p-1 + step->high, // ln 2 up to 2^-42
        exponent * 0x1.ef35793c76730p-45 + step->mid,
        r,
        (r_upper - r) + r_lower,
    };
}

#endif
