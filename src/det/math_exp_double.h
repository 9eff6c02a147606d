// SPDX-License-Identifier: MIT

// e^x of doubles, which exp and pow share.

#ifndef BKSI_DET_MATH_EXP_DOUBLE_H
#define BKSI_DET_MATH_EXP_DOUBLE_H

#include "det/math_bits.h"
#include "det/math_tables.h"

/// e^(x + low); 0 and infinity where it does not fit. The error is at most 0.52 ulp, of results
/// below 2^-1022 one.
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
    // ln 2 / 128 in two parts, of which the first times `steps` is exact.
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
    // In two steps, as the power alone may not fit.
    const int32_t binary = (exponent - (int32_t)(whole & 127)) / 128;
    return (power + more) * bksi_power_of_2(binary / 2) * bksi_power_of_2(binary - binary / 2);
}

#endif
