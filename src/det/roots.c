// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_pairs.h"

#define SIZE 0x7FFFFFFFu
/// Slack for bksi_is_decided(): quick cube roots have a relative error of at most 2^-39.
#define SLACK (1u << 14)

// Return NaNs by their bits, because a compiler may replace one NaN by another and reduce `x < 0 ?
// NAN : sqrt(x)` to the root.

double bks_sqrt(double x)
{
    const uint64_t bits = bksi_double_bits(x);
    if (bits > BKSI_DOUBLE_INFINITY &&
        bits != BKSI_DOUBLE_SIGN) { // negative or NaN: bits above those of infinity
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    return bksi_root(x);
}

float bks_sqrtf(float x)
{
    const uint32_t bits = bksi_float_bits(x);
    if (bits > BKSI_FLOAT_INFINITY && bits != BKSI_FLOAT_SIGN) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    // Rounding twice gives the same as once, because a double has more than twice a float's digits.
    return (float)bksi_root(x);
}

/// Improve a cube root of `a` by a step of Newton's method. The cube of the root is computed in
/// pairs.
static bksi_pair better_cube_root(double a, bksi_pair root)
{
    const bksi_pair cube = bksi_pair_multiply(bksi_pair_multiply(root, root), root);
    const bksi_pair rest = bksi_pair_add(bksi_pair_of(a), bksi_pair_negated(cube));
    const double change = rest.high / (3.0 * root.high * root.high);
    return bksi_pair_add(root, bksi_pair_of(change));
}

float bks_cbrtf(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size >= BKSI_FLOAT_INFINITY || size == 0) {
        return size > BKSI_FLOAT_INFINITY ? bksi_float_of(BKSI_FLOAT_NAN) : x;
    }
    const uint64_t bits = bksi_double_bits(bksi_float_of(size));
    const uint32_t exponent = (uint32_t)(bits >> 52);
    const uint32_t third = exponent / 3; // third of the biased exponent; 341 stands for 2^0
    const double m = bksi_double_of((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    static const double roots[3] = {1.0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0};
    const double *c = bksi_cbrt_terms;
    const double guess =
        ((c[0] + m * c[1]) + m * m * (c[2] + m * c[3])) * roots[exponent - 3 * third];
    // Mantissa times 1, 2 or 4, so from 1 to 8.
    const double a = m * (double)(1u << (exponent - 3 * third));

    // Improve the guess by a step of Halley's method, which cubes the error.
    const double cube = guess * guess * guess;
    double y = guess - guess * ((cube - a) / (cube + (cube + a)));
    const double scale = bksi_power_of_2((int32_t)third - 341);
    if (!bksi_is_decided(y, SLACK)) {
        const bksi_pair once = better_cube_root(a, bksi_pair_of(y));
        y = bksi_pair_to_float(better_cube_root(a, once));
    }
    return bksi_with_sign_of((float)(y * scale), x);
}

/// Slack for bksi_is_decided(): quick distances have a relative error of at most 2^-51, because the
/// squares are exact, and only sum and root are rounded.
#define HYPOT_SLACK (1u << 2)

/// Round the distance sqrt(x * x + y * y) to a float: compare the distance with the midpoint
/// between two neighbouring floats. The midpoint has 25 bits, so its square is exact. The sum of
/// the squares is exact in a pair.
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
    if (bksi_is_decided(near, HYPOT_SLACK) && near >= 0x1p-126) {
        return (float)near;
    }
    return (a | b) == 0 ? 0.0f : slow_hypot(x2, y2, near);
}
