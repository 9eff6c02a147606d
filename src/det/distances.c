// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_pairs.h"
#include "det/math_root.h"

#define SIZE 0x7FFFFFFFu
/// The quick results are right to 2^-51: the squares are exact, sum and root are rounded.
#define SLACK (1u << 2)

/// Decides which side of a float's midpoint the distance lies on: the midpoint has 25 bits, so its
/// square is exact, and so is the sum of the squares in a pair.
static float slow_hypot(double x, double y, double near)
{
    double middle;
    if (near < 0x1p-126) {
        const double units = near * 0x1p149;
        middle = ((double)(int32_t)units + 0.5) * 0x1p-149;
    } else {
        middle = bksi_double_of((bksi_double_bits(near) & ~(uint64_t)0x1FFFFFFF) | 0x10000000u);
    }
    const bksi_pair square = bksi_sum(x * x, y * y);
    const double beyond = (square.high - middle * middle) + square.low;
    double low = 0.0;
    if (beyond > 0.0 || beyond < 0.0) {
        low = beyond > 0.0 ? middle * 0x1p-60 : middle * -0x1p-60;
    }
    return bksi_pair_to_float((bksi_pair){middle, low});
}

float bks_hypotf(float x, float y)
{
    const uint32_t a = bksi_float_bits(x) & SIZE;
    const uint32_t b = bksi_float_bits(y) & SIZE;
    if (a >= BKSI_FLOAT_INFINITY || b >= BKSI_FLOAT_INFINITY) {
        return bksi_float_of(a == BKSI_FLOAT_INFINITY || b == BKSI_FLOAT_INFINITY
                                 ? BKSI_FLOAT_INFINITY
                                 : BKSI_FLOAT_NAN);
    }
    const double x2 = x;
    const double y2 = y;
    const double near = bksi_root(x2 * x2 + y2 * y2);
    if (bksi_is_decided(near, SLACK) && near >= 0x1p-126) {
        return (float)near;
    }
    return (a | b) == 0 ? 0.0f : slow_hypot(x2, y2, near);
}
