// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_log_double.h"

static double special_log(double x)
{
    const uint64_t bits = bksi_double_bits(x);
    if ((bits & ~BKSI_DOUBLE_SIGN) == 0) {
        return -bksi_double_of(BKSI_DOUBLE_INFINITY);
    }
    return bits == BKSI_DOUBLE_INFINITY ? x : bksi_double_of(BKSI_DOUBLE_NAN);
}

double bks_log(double x)
{
    if (bksi_double_bits(x) - 1 >= BKSI_DOUBLE_INFINITY - 1) {
        return special_log(x);
    }
    const bksi_log_whole parts = bksi_log_take_apart(x);
    const double r = parts.r;
    const double z = r * r;
    const double far = (1.0 / 5.0 + r * (-1.0 / 6.0)) + z * (1.0 / 7.0 + r * (-1.0 / 8.0));
    const double rest = z * (-1.0 / 2.0 + (r * (1.0 / 3.0 + r * (-1.0 / 4.0)) + z * (r * far)));
    const double high = parts.high + r;
    const double low = (parts.high - high) + r;
    return high + (rest + ((low + parts.low) + parts.rest));
}
