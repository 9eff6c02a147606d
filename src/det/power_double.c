// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_exp_double.h"
#include "det/math_log_double.h"
#include "det/math_pairs.h"

#define ONE 0x3FF0000000000000u

/// The natural logarithm, relative error 2^-66.
/// @param x  positive and finite
static inline bksi_pair log_of(double x)
{
    const bksi_log_whole parts = bksi_log_take_apart(x);
    const double r = parts.r;
    // Half of the square, exact in its upper part.
    const double upper = bksi_upper_half(r);
    const double square = 0.5 * upper * upper;
    const double square_low = 0.5 * (r - upper) * (r + upper);
    const double z = r * r;
    const double far =
        ((1.0 / 3.0 + r * (-1.0 / 4.0)) + z * (1.0 / 5.0 + r * (-1.0 / 6.0))) +
        z * z * ((1.0 / 7.0 + r * (-1.0 / 8.0)) + z * (1.0 / 9.0 + r * (-1.0 / 10.0)));
    const bksi_pair linear = bksi_quick_sum(parts.high, r);
    const bksi_pair near = bksi_quick_sum(linear.high, -square);
    const double low = (parts.low + (linear.low + near.low)) + (parts.rest - r * parts.rest);
    return bksi_quick_sum(near.high, low + (r * z * far - square_low));
}

/// |x|^y of numbers that are finite and not 0.
static double power_of(double x, double y)
{
    const bksi_pair log = log_of(x);
    const double about = log.high * y;
    if (!(about > -746.0)) {
        return 0.0;
    }
    if (!(about < 710.0)) {
        return bksi_double_of(BKSI_DOUBLE_INFINITY);
    }
    if (about < 0x1p-60 && about > -0x1p-60) {
        return 1.0;
    }
    const bksi_pair product = bksi_product(log.high, y);
    return bksi_exp_double(product.high, product.low + log.low * y);
}

/// 0 for no integer, 1 for an odd one, 2 for an even one.
static int whole_kind(uint64_t size)
{
    if (size >= 0x4340000000000000u) { // 2^53
        return 2;
    }
    const double y = bksi_double_of(size);
    const int64_t whole = (int64_t)y;
    return (double)whole < y ? 0 : whole % 2 == 0 ? 2 : 1;
}

/// Negative and unusual arguments.
static double special_pow(double x, double y)
{
    const uint64_t a = bksi_double_bits(x) & ~BKSI_DOUBLE_SIGN;
    const uint64_t b = bksi_double_bits(y) & ~BKSI_DOUBLE_SIGN;
    if (b == 0 || bksi_double_bits(x) == ONE) {
        return 1.0;
    }
    if (a > BKSI_DOUBLE_INFINITY || b > BKSI_DOUBLE_INFINITY) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    const int kind = whole_kind(b);
    const bool is_negative = bksi_double_bits(x) >> 63 != 0;
    const uint64_t sign = is_negative && kind == 1 ? BKSI_DOUBLE_SIGN : 0;
    if (a == ONE && (b == BKSI_DOUBLE_INFINITY || kind != 0)) { // -1
        return bksi_double_of(ONE | sign);
    }
    if (b == BKSI_DOUBLE_INFINITY || a == 0 || a == BKSI_DOUBLE_INFINITY) {
        const bool is_growing = (a > ONE) == (y > 0.0);
        return bksi_double_of((is_growing ? BKSI_DOUBLE_INFINITY : 0) | sign);
    }
    if (is_negative && kind == 0) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    return bksi_double_of(bksi_double_bits(power_of(bksi_double_of(a), y)) | sign);
}

double bks_pow(double x, double y)
{
    if (bksi_double_bits(x) - 1 < BKSI_DOUBLE_INFINITY - 1 &&
        (bksi_double_bits(y) & ~BKSI_DOUBLE_SIGN) < BKSI_DOUBLE_INFINITY) {
        return power_of(x, y);
    }
    return special_pow(x, y);
}
