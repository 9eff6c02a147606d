// SPDX-License-Identifier: MIT

// Numbers of about 106 bits, each the sum of two doubles, and the functions computed with them
// where a double is not enough. The compiler must neither fuse nor reorder (-ffp-contract=off).
//
// Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971
// [Dekker]; D. E. Knuth, The Art of Computer Programming 2, 4.2.2.

#ifndef BKSI_DET_MATH_PAIRS_H
#define BKSI_DET_MATH_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "det/math_bits.h"
#include "det/math_tables.h"

/// Return a + b, exactly. Either |a| is at least |b|, or a is 0.
static inline bksi_pair bksi_quick_sum(double a, double b)
{
    const double high = a + b;
    return (bksi_pair){high, b - (high - a)};
}

/// Return a + b, exactly.
static inline bksi_pair bksi_sum(double a, double b)
{
    const double high = a + b;
    const double from_b = high - a;
    return (bksi_pair){high, (a - (high - from_b)) + (b - from_b)};
}

/// Return the upper 26 bits of a number.
/// @param a  below 2^995
static inline double bksi_upper_half(double a)
{
    const double wide = a * 134217729.0;
    return wide - (wide - a);
}

/// Return a * b, exactly if nothing underflows.
static inline bksi_pair bksi_product(double a, double b)
{
    const double high = a * b;
    const double a1 = bksi_upper_half(a);
    const double a2 = a - a1;
    const double b1 = bksi_upper_half(b);
    const double b2 = b - b1;
    return (bksi_pair){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline bksi_pair bksi_pair_of(double a)
{
    return (bksi_pair){a, 0.0};
}

static inline bksi_pair bksi_pair_negated(bksi_pair a)
{
    return (bksi_pair){-a.high, -a.low};
}

/// Add two pairs with a relative error of 2^-103, even if they nearly cancel.
static inline bksi_pair bksi_pair_add(bksi_pair a, bksi_pair b)
{
    bksi_pair high = bksi_sum(a.high, b.high);
    const bksi_pair low = bksi_sum(a.low, b.low);
    high = bksi_quick_sum(high.high, high.low + low.high);
    return bksi_quick_sum(high.high, high.low + low.low);
}

static inline bksi_pair bksi_pair_multiply(bksi_pair a, bksi_pair b)
{
    const bksi_pair high = bksi_product(a.high, b.high);
    return bksi_quick_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static inline bksi_pair bksi_pair_scale(bksi_pair a, double by)
{
    const bksi_pair high = bksi_product(a.high, by);
    return bksi_quick_sum(high.high, high.low + a.low * by);
}

static inline bksi_pair bksi_pair_divide(bksi_pair a, bksi_pair b)
{
    const double first = a.high / b.high;
    const bksi_pair rest = bksi_pair_add(a, bksi_pair_negated(bksi_pair_scale(b, first)));
    const double second = rest.high / b.high;
    const bksi_pair rest2 = bksi_pair_add(rest, bksi_pair_negated(bksi_pair_scale(b, second)));
    const bksi_pair both = bksi_quick_sum(first, second);
    return bksi_quick_sum(both.high, both.low + rest2.high / b.high);
}

/// Return the float nearest to a pair, ties to even. A pair that is not exact is never a tie.
float bksi_pair_to_float(bksi_pair a);

bksi_pair bksi_pair_sqrt(bksi_pair a);

/// Return the sine or the cosine of r.
/// @param r  at most a little above pi/4
bksi_pair bksi_pair_sine(bksi_pair r, bool is_cosine);

/// Return e^x as a pair from 1 to 2, times 2^exponent.
/// @param x  at most 745 and at least -745
bksi_pair bksi_pair_exp(bksi_pair x, int32_t *exponent);

/// Return the natural logarithm of x.
/// @param x  positive and normal
bksi_pair bksi_pair_log(double x);

/// Return the angle of the point (x, y), 0 to pi/2.
/// @param y, x  not negative, not both 0
bksi_pair bksi_pair_atan2(bksi_pair y, bksi_pair x);

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <math.h>
#endif

/// Return the square root of x, correctly rounded as IEEE 754 demands. A C library whose sqrt()
/// uses the x87, such as that of mingw without optimisation, rounds twice.
/// @param x  not negative, no NaN
static inline double bksi_root(double x)
{
#if defined(__SSE2__)
    const __m128d packed = _mm_set_sd(x);
    return _mm_cvtsd_f64(_mm_sqrt_sd(packed, packed));
#else
    return sqrt(x);
#endif
}

/// Return x - quarters * pi/2, between -pi/4 and pi/4, with a relative error of 2^-100. The
/// function takes some 50 ns.
/// @param x  finite, at least 2^-2
/// @param quarters  receives 0 to 3
bksi_pair bksi_reduce_wide(double x, uint32_t *quarters);

#define BKSI_PI      0x1.921fb54442d18p+1
#define BKSI_HALF_PI 0x1.921fb54442d18p+0

/// Return the angle of the point (x, y), 0 to pi/2, with a relative error of 2^-43.
/// @param y, x  values of floats, not negative, not both 0, at most one of them infinite
static inline double bksi_quick_atan2(double y, double x)
{
    const bool is_steep = y > x;
    const double least = is_steep ? x : y;
    const double most = is_steep ? y : x;
    const int32_t i = (int32_t)((float)least / (float)most * 64.0f + 0.5f);
    const double tangent = i * (1.0 / 64.0);
    const double t = (least - most * tangent) / (most + least * tangent);
    const double z = t * t;
    const double rest = t * (z * (-1.0 / 3.0 + z * (1.0 / 5.0 - z * (1.0 / 7.0))));
    const double angle = bksi_atan_table[i].high + (t + rest);
    return is_steep ? BKSI_HALF_PI - angle : angle;
}

#endif
