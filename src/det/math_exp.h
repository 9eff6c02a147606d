// SPDX-License-Identifier: MIT

// Powers for floats, quick and exact, which exp, exp2 and pow share.

#ifndef BKSI_DET_MATH_EXP_H
#define BKSI_DET_MATH_EXP_H

#include "det/math_bits.h"
#include "det/math_pairs.h"
#include "det/math_tables.h"

/// Return 2^(steps/128), with a relative error of 2^-40.6 plus 0.0055 times the error of `steps`.
/// @param steps  must give a normal double
static inline double bksi_quick_exp2(double steps)
{
    const double shifted = steps + BKSI_SHIFTER;
    const uint64_t whole = bksi_double_bits(shifted);
    const double r = steps - (shifted - BKSI_SHIFTER);
    // Approximate 2^(r/128) - 1 by a nearly optimal polynomial of three terms.
    const double rest =
        r * ((0x1.62e42fefa39efp-8 + r * 0x1.ebfbeebe2d1a2p-17) + r * r * 0x1.c6b095a17a14dp-26);
    // The table covers 128 steps, which double the result. Add further doublings to the exponent.
    const uint64_t power =
        bksi_double_bits(bksi_exp2_table[whole & 127]) + ((whole & ~(uint64_t)127) << 45);
    const double scale = bksi_double_of(power);
    return scale + scale * rest;
}

/// Return e^x as a float, 0 or infinity if it does not fit.
/// @param x  -700 to 700
static inline float bksi_exp_to_float(bksi_pair x)
{
    int32_t exponent;
    const bksi_pair power = bksi_pair_exp(x, &exponent);
    const double scale = bksi_power_of_2(exponent < -900 ? -900 : exponent);
    return bksi_pair_to_float((bksi_pair){power.high * scale, power.low * scale});
}

/// Return e^(x + low), 0 or infinity if it does not fit. The error is at most 0.52 ulp, 1 ulp for
/// results below 2^-1022.
/// @param x  no NaN
/// @param low  below 2^-40
static inline double bksi_exp_double(double x, double low)
{
    if (!(x > -746.0)) {
        return 0.0;
    }
    if (!(x < 710.0)) {
        return bksi_double_of(BKSI_DOUBLE_INFINITY);
    }
    const double shifted = x * 0x1.71547652b82fep+7 + BKSI_SHIFTER; // 128 / ln 2
    const uint64_t whole = bksi_double_bits(shifted);
    const double steps = shifted - BKSI_SHIFTER;
    // Subtract steps * ln 2 / 128 in two parts, because the product with the first part is exact.
    const double r = ((x - steps * 0x1.62e42fef80000p-8) - steps * 0x1.1cf79abc9e3b4p-43) + low;
    const double z = r * r;
    const double rest =
        r + z * ((1.0 / 2.0 + r * (1.0 / 6.0)) + z * (1.0 / 24.0 + r * (1.0 / 120.0)));
    const double power = bksi_exp2_table[whole & 127];
    const double more = bksi_exp2_rest[whole & 127] + power * rest;
    const int32_t exponent = (int32_t)(uint32_t)whole;
    if (exponent > -1021 * 128 && exponent < 1023 * 128) {
        return bksi_double_of(bksi_double_bits(power + more) + ((whole & ~(uint64_t)127) << 45));
    }
    // Scale in two steps, because 2^binary alone may not fit a double.
    const int32_t binary = (exponent - (int32_t)(whole & 127)) / 128;
    return (power + more) * bksi_power_of_2(binary / 2) * bksi_power_of_2(binary - binary / 2);
}

/// Least mantissa in the table of logarithms, 0.6875, as the bits of a float.
#define BKSI_LOG_BEGIN_FLOAT 0x3F300000u

/// Parts of a float x = 2^exponent * c * (1 + r), with c from the table of logarithms.
typedef struct bksi_log_parts {
    int32_t exponent; ///< exponent times 2^23
    double log;       ///< logarithm of c, from the table
    double r;         ///< remainder r, -2^-8 to 2^-8, up to 2^-7 where c is 1; exact
} bksi_log_parts;

/// Split a float into the parts of its logarithm.
/// @param bits  bits of a float that is positive and normal
static inline bksi_log_parts bksi_log_begin(uint32_t bits, const bksi_log_brief_step *table)
{
    const uint32_t above = bits - BKSI_LOG_BEGIN_FLOAT;
    const uint32_t exponent = above & 0xFF800000u;
    const bksi_log_brief_step *step = &table[(above >> 16) & (BKSI_LOG_STEPS - 1)];
    const double mantissa = bksi_float_of(bits - exponent);
    return (bksi_log_parts){(int32_t)exponent, step->log, mantissa * step->inverse - 1.0};
}

#define BKSI_NORMAL_DOUBLE 0x0010000000000000u

/// Parts of log(x) = high + low + log(1 + r + rest). `r` is from -2^-8 to 2^-8, and up to 2^-7
/// where `high` and `low` are 0.
typedef struct bksi_log_whole {
    double high; ///< upper part of the logarithm, a multiple of 2^-42
    double low;
    double r;
    double rest;
} bksi_log_whole;

/// Split the logarithm of x into its parts.
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
    // 1/c has 24 bits, so its products with both halves of the mantissa are exact.
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
