// SPDX-License-Identifier: MIT

// Powers for floats: the quick way and the exact one, which exp, exp2 and pow share.

#ifndef BKSI_DET_MATH_EXP_H
#define BKSI_DET_MATH_EXP_H

#include "det/math_pairs.h"

/// 2^(steps/128), relative error 2^-40.6 and 0.0055 times the error of `steps`.
/// @param steps  so that the result is a normal double
static inline double bksi_quick_exp2(double steps)
{
    const double shifted = steps + BKSI_SHIFTER;
    const uint64_t whole = bksi_double_bits(shifted);
    const double r = steps - (shifted - BKSI_SHIFTER);
    // Nearly the best polynomial of three terms.
    const double rest =
        r * ((0x1.62e42fefa39efp-8 + r * 0x1.ebfbeebe2d1a2p-17) + r * r * 0x1.c6b095a17a14dp-26);
    // The steps above the table's go to the exponent.
    const uint64_t power =
        bksi_double_bits(bksi_exp2_table[whole & 127]) + ((whole & ~(uint64_t)127) << 45);
    const double scale = bksi_double_of(power);
    return scale + scale * rest;
}

/// e^x as a float, 0 and infinity where it does not fit.
/// @param x  -700 to 700
static inline float bksi_exp_to_float(bksi_pair x)
{
    int32_t exponent;
    const bksi_pair power = bksi_pair_exp(x, &exponent);
    const double scale = bksi_power_of_2(exponent < -900 ? -900 : exponent);
    return bksi_pair_to_float((bksi_pair){power.high * scale, power.low * scale});
}

#endif
