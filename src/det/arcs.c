// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_pairs.h"

#define SIZE 0x7FFFFFFFu
/// Limits of |x|, as the bits of a float: TINY is 2^-13, below which arc sine and arc tangent round
/// to x itself; HALF is 1/2; ONE is 1.
#define TINY 0x39000000u
#define HALF 0x3F000000u
#define ONE  0x3F800000u
/// Slack for bksi_is_decided(): quick results have a relative error of at most 2^-41.
#define SLACK (1u << 12)

/// Return the arc sine of x.
/// @param x  0 to a half, or a little more
/// @param z  x * x
static inline double quick_asin(double x, double z)
{
    const double *c = bksi_asin_terms;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double rest =
        ((c[0] + z * c[1]) + z2 * (c[2] + z * c[3])) +
        z4 * (((c[4] + z * c[5]) + z2 * (c[6] + z * c[7])) + z4 * (c[8] + z * c[9]));
    return x + x * (z * rest);
}

/// Return sqrt(1 - x * x): the other leg of a right triangle with hypotenuse 1 and leg x.
static bksi_pair other_side(double x)
{
    return bksi_pair_sqrt(bksi_product(1.0 - x, 1.0 + x));
}

static float slow_asin(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size > ONE) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (size < TINY) {
        return x;
    }
    const double a = bksi_float_of(size);
    const float angle = bksi_pair_to_float(bksi_pair_atan2(bksi_pair_of(a), other_side(a)));
    return bksi_with_sign_of(angle, x);
}

/// Return the value `arc` with which the arc sine of |x| is base + factor * arc. For |x| up to a
/// half it is the arc sine of |x|. Above a half it is the arc sine of the half angle's sine,
/// sqrt((1 - |x|) / 2).
static inline double quick_arc(uint32_t size, uint32_t *is_large)
{
    const double a = bksi_float_of(size);
    *is_large = size >= HALF;
    // Use the smaller one of the squares of |x| and of the half angle's sine: up to a half it is
    // the former, above a half the latter. The square of a float is exact in a double, and so is
    // the root of that square.
    const double of_itself = a * a;
    const double of_half = (1.0 - a) * 0.5;
    const double z = of_itself < of_half ? of_itself : of_half;
    return quick_asin(bksi_root(z), z);
}

float bks_asinf(float x)
{
    // Entries of the arrays `base` and `factor`, by sign and size of x: small positive, large
    // positive, small negative, large negative.
    static const double base[4] = {0.0, BKSI_HALF_PI, 0.0, -BKSI_HALF_PI};
    static const double factor[4] = {1.0, -2.0, -1.0, 2.0};
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size - TINY <= ONE - TINY) {
        uint32_t i;
        const double arc = quick_arc(size, &i);
        i += bksi_float_bits(x) >> 31 << 1;
        const double y = base[i] + factor[i] * arc;
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_asin(x);
}

static float slow_acos(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size > ONE) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    const double a = bksi_float_of(size);
    bksi_pair angle = bksi_pair_atan2(other_side(a), bksi_pair_of(a));
    if (x < 0.0f) {
        angle =
            bksi_pair_add((bksi_pair){BKSI_PI, 0x1.1a62633145c07p-53}, bksi_pair_negated(angle));
    }
    return bksi_pair_to_float(angle);
}

float bks_acosf(float x)
{
    static const double base[4] = {BKSI_HALF_PI, 0.0, BKSI_HALF_PI, BKSI_PI};
    static const double factor[4] = {-1.0, 2.0, 1.0, -2.0};
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size <= ONE) {
        uint32_t i;
        const double arc = quick_arc(size, &i);
        i += bksi_float_bits(x) >> 31 << 1;
        const double y = base[i] + factor[i] * arc;
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_acos(x);
}

static float slow_atan(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (size < TINY) {
        return x;
    }
    const float angle = size == BKSI_FLOAT_INFINITY
                            ? (float)BKSI_HALF_PI
                            : bksi_pair_to_float(bksi_pair_atan2(bksi_pair_of(bksi_float_of(size)),
                                                                 bksi_pair_of(1.0)));
    return bksi_with_sign_of(angle, x);
}

float bks_atanf(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size - TINY < BKSI_FLOAT_INFINITY - TINY) {
        const double y = bksi_quick_atan2(bksi_float_of(size), 1.0);
        if (bksi_is_decided(y, SLACK)) {
            return bksi_with_sign_of((float)y, x);
        }
    }
    return slow_atan(x);
}

/// Return the angle for zeros, infinities and NaNs.
static float special_atan2(uint32_t y, uint32_t x, bool is_left)
{
    if (y > BKSI_FLOAT_INFINITY || x > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (y == BKSI_FLOAT_INFINITY && x == BKSI_FLOAT_INFINITY) {
        return is_left ? (float)(0.75 * BKSI_PI) : (float)(0.25 * BKSI_PI);
    }
    if (y == BKSI_FLOAT_INFINITY || x == 0) {
        if (y != 0) {
            return (float)BKSI_HALF_PI;
        }
    }
    return is_left ? (float)BKSI_PI : 0.0f; // angle of the negative or the positive x axis
}

static float slow_atan2(uint32_t y, uint32_t x, bool is_left)
{
    const bool is_finite = y < BKSI_FLOAT_INFINITY && x < BKSI_FLOAT_INFINITY;
    if (!is_finite || y == 0 || x == 0) {
        return special_atan2(y, x, is_left);
    }
    bksi_pair angle =
        bksi_pair_atan2(bksi_pair_of(bksi_float_of(y)), bksi_pair_of(bksi_float_of(x)));
    if (is_left) {
        angle =
            bksi_pair_add((bksi_pair){BKSI_PI, 0x1.1a62633145c07p-53}, bksi_pair_negated(angle));
    }
    return bksi_pair_to_float(angle);
}

float bks_atan2f(float y, float x)
{
    const uint32_t b = bksi_float_bits(y) & SIZE;
    const uint32_t a = bksi_float_bits(x) & SIZE;
    const bool is_left = bksi_float_bits(x) >> 31 != 0;
    if (b - 1 < BKSI_FLOAT_INFINITY - 1 && a - 1 < BKSI_FLOAT_INFINITY - 1) {
        const double right = bksi_quick_atan2(bksi_float_of(b), bksi_float_of(a));
        const double angle = is_left ? BKSI_PI - right : right;
        if (bksi_is_decided(angle, SLACK) && angle >= 0x1p-126) {
            return bksi_with_sign_of((float)angle, y);
        }
    }
    const float angle = slow_atan2(b, a, is_left);
    return b > BKSI_FLOAT_INFINITY || a > BKSI_FLOAT_INFINITY ? angle : bksi_with_sign_of(angle, y);
}

#define HALF_PI_LOW 0x1.1a62633145c07p-54

/// Parts whose sum is the arc tangent of least / most: base + rest + far.
typedef struct arc {
    bksi_pair base; ///< angle of a nearby direction, from the table
    double rest;    ///< angle beyond `base`, without `far`
    double far;     ///< correction of `rest`, less than 2^-8 of `rest`
} arc;

/// Return z * (series of the arc tangent), with z the square of a tangent up to 1/16.
static inline double series(double z)
{
    const double z2 = z * z;
    return z * ((-1.0 / 3.0 + z * (1.0 / 5.0)) +
                z2 * ((-1.0 / 7.0 + z * (1.0 / 9.0)) + z2 * (-1.0 / 11.0 + z * (1.0 / 13.0))));
}

/// Return the arc tangent of least / most.
/// @param least, most  positive and finite; `least` is at most `most`
static inline arc arc_of(double least, double most)
{
    const double ratio = least / most;
    if (ratio < 1.0 / 16.0) {
        double missing = 0.0; // rounding error of the quotient
        if (ratio > 0x1p-900 && most < 0x1p900 && most > 0x1p-900 && least > 0x1p-900) {
            const bksi_pair back = bksi_product(ratio, most);
            missing = ((least - back.high) - back.low) / most;
        }
        return (arc){{0.0, 0.0}, ratio, ratio * series(ratio * ratio) + missing};
    }
    // `least` and `most` are of nearly the same size, so their difference is exact once they are
    // scaled.
    const double scale = most > 0x1p900 ? 0x1p-200 : most < 0x1p-900 ? 0x1p200 : 1.0;
    least *= scale;
    most *= scale;
    const int32_t i = (int32_t)(ratio * 64.0 + 0.5);
    const double tangent = i * (1.0 / 64.0);
    // The tangent has 7 bits, so its products with the halves of `most` are exact.
    const double upper = bksi_double_of(bksi_double_bits(most) & ~(uint64_t)0x7FFFFFF);
    const double over = (least - upper * tangent) - (most - upper) * tangent;
    const double t = over / (most + least * tangent);
    return (arc){bksi_atan_table[i], t, t * series(t * t)};
}

/// Return the angle of a point that is on no axis.
static double angle_of(double y, double x, bool is_left)
{
    const bool is_steep = y > x;
    const arc a = is_steep ? arc_of(x, y) : arc_of(y, x);
    const double quarters = is_steep ? 1.0 : is_left ? 2.0 : 0.0;
    const double sign = is_steep != is_left ? -1.0 : 1.0;
    // The base is a multiple of pi/2, plus or minus a tabulated angle.
    const bksi_pair base = bksi_sum(quarters * BKSI_HALF_PI, sign * a.base.high);
    const double low = base.low + (quarters * HALF_PI_LOW + sign * a.base.low);
    const bksi_pair near = bksi_sum(base.high, sign * a.rest);
    return near.high + (near.low + (low + sign * a.far));
}

/// Return the angle for zeros, infinities and NaNs.
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
