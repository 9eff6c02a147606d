// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_atan.h"
#include "det/math_pairs.h"

#define HALF_PI_LOW 0x1.1a62633145c07p-54

/// The arc tangent of least / most, and what is missing in it.
typedef struct arc {
    bksi_pair base; ///< of a tabulated direction nearby
    double rest;    ///< the angle from there on
    double far;     ///< and what of it is less than 2^-8 of it
} arc;

/// z * (its arc tangent's series), z the square of a tangent up to 1/16.
static inline double series(double z)
{
    const double z2 = z * z;
    return z * ((-1.0 / 3.0 + z * (1.0 / 5.0)) +
                z2 * ((-1.0 / 7.0 + z * (1.0 / 9.0)) + z2 * (-1.0 / 11.0 + z * (1.0 / 13.0))));
}

/// @param least, most  positive, finite; least is at most `most`
static inline arc arc_of(double least, double most)
{
    const double ratio = least / most;
    if (ratio < 1.0 / 16.0) {
        double missing = 0.0; // in the quotient
        if (ratio > 0x1p-900 && most < 0x1p900 && most > 0x1p-900 && least > 0x1p-900) {
            const bksi_pair back = bksi_product(ratio, most);
            missing = ((least - back.high) - back.low) / most;
        }
        return (arc){{0.0, 0.0}, ratio, ratio * series(ratio * ratio) + missing};
    }
    // Both are nearly as large: scaled they are exact.
    const double scale = most > 0x1p900 ? 0x1p-200 : most < 0x1p-900 ? 0x1p200 : 1.0;
    least *= scale;
    most *= scale;
    const int32_t i = (int32_t)(ratio * 64.0 + 0.5);
    const double tangent = i * (1.0 / 64.0);
    // The tangent has 7 bits: times the halves of `most` it is exact.
    const double upper = bksi_double_of(bksi_double_bits(most) & ~(uint64_t)0x7FFFFFF);
    const double over = (least - upper * tangent) - (most - upper) * tangent;
    const double t = over / (most + least * tangent);
    return (arc){bksi_atan_table[i], t, t * series(t * t)};
}

/// The angle for a point that is on no axis.
static double angle_of(double y, double x, bool is_left)
{
    const bool is_steep = y > x;
    const arc a = is_steep ? arc_of(x, y) : arc_of(y, x);
    const double quarters = is_steep ? 1.0 : is_left ? 2.0 : 0.0;
    const double sign = is_steep != is_left ? -1.0 : 1.0;
    // A multiple of pi/2, which is 0 or more than the arc.
    const bksi_pair base = bksi_sum(quarters * BKSI_HALF_PI, sign * a.base.high);
    const double low = base.low + (quarters * HALF_PI_LOW + sign * a.base.low);
    const bksi_pair near = bksi_sum(base.high, sign * a.rest);
    return near.high + (near.low + (low + sign * a.far));
}

/// Zeros, infinities and NaNs.
static double special(uint64_t y, uint64_t x, bool is_left)
{
    if (y == BKSI_DOUBLE_INFINITY && x == BKSI_DOUBLE_INFINITY) {
        return is_left ? 0.75 * BKSI_PI : 0.25 * BKSI_PI;
    }
    if (y != 0 && (y == BKSI_DOUBLE_INFINITY || x == 0)) {
        return BKSI_HALF_PI;
    }
    return is_left ? BKSI_PI : 0.0;
}

double bks_atan2(double y, double x)
{
    const uint64_t b = bksi_double_bits(y) & ~BKSI_DOUBLE_SIGN;
    const uint64_t a = bksi_double_bits(x) & ~BKSI_DOUBLE_SIGN;
    const bool is_left = bksi_double_bits(x) >> 63 != 0;
    if (b > BKSI_DOUBLE_INFINITY || a > BKSI_DOUBLE_INFINITY) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    if (b - 1 < BKSI_DOUBLE_INFINITY - 1 && a - 1 < BKSI_DOUBLE_INFINITY - 1) {
        return bksi_double_with_sign_of(angle_of(bksi_double_of(b), bksi_double_of(a), is_left), y);
    }
    return bksi_double_with_sign_of(special(b, a, is_left), y);
}
