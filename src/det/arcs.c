// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_atan.h"
#include "det/math_pairs.h"
#include "det/math_root.h"

#define SIZE 0x7FFFFFFFu
/// Below 2^-13 arc sine and arc tangent round to x itself.
#define TINY 0x39000000u
#define HALF 0x3F000000u
#define ONE  0x3F800000u
/// The quick results are right to 2^-41.
#define SLACK (1u << 12)

/// The arc sine.
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

/// sqrt(1 - x * x), which with x makes the triangle.
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

/// The arc sine of x as base + factor * arc: up to a half arc is that of x, above it that of the
/// half angle's sine.
static inline double quick_arc(uint32_t size, uint32_t *is_large)
{
    const double a = bksi_float_of(size);
    *is_large = size >= HALF;
    // The squares of both are the same at a half. That of a float is exact, and so is its root.
    const double of_itself = a * a;
    const double of_half = (1.0 - a) * 0.5;
    const double z = of_itself < of_half ? of_itself : of_half;
    return quick_asin(bksi_root(z), z);
}

float bks_asinf(float x)
{
    // Of small ones that are positive, large ones, the same of negative ones.
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
