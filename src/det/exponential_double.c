// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_exp_double.h"

double bks_exp(double x)
{
    const uint64_t size = bksi_double_bits(x) & ~BKSI_DOUBLE_SIGN;
    if (size > BKSI_DOUBLE_INFINITY) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    return bksi_exp_double(x, 0.0);
}
