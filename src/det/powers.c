// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_exp.h"
#include "det/math_pairs.h"

#define SIZE   0x7FFFFFFFu
#define ONE    0x3F800000u
#define NORMAL 0x00800000u
/// Slack for bksi_is_decided(): quick results have a relative error of at most 2^-40.
#define SLACK (1u << 13)

/// Return base + log(1 + r). The relative error of log(1 + r) is 2^-51.
static inline double whole_log(double base, double r)
{
    const double z = r * r;
    const double low = (-1.0 / 2.0 + r * (1.0 / 3.0)) + z * (-1.0 / 4.0 + r * (1.0 / 5.0));
    return base + (r + z * (low + z * z * (-1.0 / 6.0 + r * (1.0 / 7.0))));
}

/// Return the 2^k-th root of odd * 2^*exponent, and divide `*exponent` by 2^k.
/// @return the odd factor of the root, 0 if the root is no binary fraction
static uint32_t binary_root(uint32_t odd, int32_t *exponent, int k)
{
    for (; k > 0; k--) {
        const uint32_t next = (uint32_t)bksi_root(odd);
        if (next * next != odd || *exponent % 2 != 0) {
            return 0;
        }
        odd = next;
        *exponent /= 2;
    }
    return odd;
}

/// Compute x^y if it is a binary fraction of at most 25 bits. No other result can lie halfway
/// between two floats.
/// @param x  positive
/// @return true if x^y is a binary fraction of at most 25 bits
static bool exact_power(float x, float y, double *power)
{
    const uint64_t bits = bksi_double_bits(x);
    // The mantissa has 24 bits.
    uint32_t odd = (uint32_t)(((bits & 0xFFFFFFFFFFFFFu) | 1ull << 52) >> 29);
    int32_t exponent = (int32_t)(bits >> 52) - 1023 - 23;
    for (; odd % 2 == 0; odd /= 2) {
        exponent++;
    }
    if (odd == 1) {
        const double product = (double)exponent * y;
        const int32_t whole = product > -300.0 && product < 300.0 ? (int32_t)product : 300;
        *power = bksi_power_of_2(whole);
        return !(product < whole || product > whole);
    }
    // Powers above the 16th have more than 25 bits, because even 3^16 has. No 16th root is exact
    // either, because the 16th power of an odd number from 3 on has more than 24 bits.
    if (!(y > 0.0f && y <= 16.0f) || y * 8.0f > (float)(int32_t)(y * 8.0f)) {
        return false;
    }
    int32_t times = (int32_t)(y * 8.0f);
    int k = 3;
    for (; k > 0 && times % 2 == 0; k--) {
        times /= 2;
    }
    const uint32_t root = binary_root(odd, &exponent, k);
    uint64_t product = root;
    for (int32_t i = 1; i < times && product < 1u << 26; i++) {
        product *= root;
    }
    if (root == 0 || product >= 1u << 26) {
        return false;
    }
    *power = (double)(int64_t)product * bksi_power_of_2(exponent * times);
    return true;
}

/// Return 0 if y is no integer, 1 if it is odd, 2 if it is even.
/// @param size  |y| as the bits of a float
static int whole_kind(uint32_t size)
{
    if (size >= 0x4B800000u) { // 2^24: from here on every float is an even integer
        return 2;
    }
    const float y = bksi_float_of(size);
    const int32_t whole = (int32_t)y;
    return (float)whole < y ? 0 : whole % 2 == 0 ? 2 : 1;
}

/// Return |x|^y for numbers that are not 0.
static float slow_power(float x, float y)
{
    const bksi_pair log = bksi_pair_scale(bksi_pair_log(x), y);
    if (log.high > 89.0) {
        return bksi_float_of(BKSI_FLOAT_INFINITY);
    }
    if (log.high < -104.0) {
        return 0.0f;
    }
    double exact;
    return exact_power(x, y, &exact) ? (float)exact : bksi_exp_to_float(log);
}

static float slow_pow(float x, float y)
{
    const uint32_t a = bksi_float_bits(x) & SIZE;
    const uint32_t b = bksi_float_bits(y) & SIZE;
    if (b == 0 || bksi_float_bits(x) == ONE) {
        return 1.0f;
    }
    if (a > BKSI_FLOAT_INFINITY || b > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    const int kind = whole_kind(b);
    const bool is_negative = bksi_float_bits(x) >> 31 != 0;
    const uint32_t sign = is_negative && kind == 1 ? BKSI_FLOAT_SIGN : 0;
    // Here x is -1, and y is infinite or an integer.
    if (a == ONE && (b == BKSI_FLOAT_INFINITY || kind != 0)) {
        return bksi_float_of(ONE | sign);
    }
    if (b == BKSI_FLOAT_INFINITY || a == 0 || a == BKSI_FLOAT_INFINITY) {
        const bool is_growing = (a > ONE) == (y > 0.0f);
        return bksi_float_of((is_growing ? BKSI_FLOAT_INFINITY : 0) | sign);
    }
    if (is_negative && kind == 0) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    return bksi_float_of(bksi_float_bits(slow_power(bksi_float_of(a), y)) | sign);
}

float bks_powf(float x, float y)
{
    const uint32_t bits = bksi_float_bits(x);
    if (bits - NORMAL < BKSI_FLOAT_INFINITY - NORMAL) {
        const bksi_log_parts parts = bksi_log_begin(bits, bksi_log_brief);
        const double base = parts.exponent * 0x1.62e42fefa39efp-24 + parts.log; // ln 2
        const double log = y * whole_log(base, parts.r);
        if (log > -87.0 && log < 87.0) { // the result is a normal float
            const double power = bksi_quick_exp2(log * 0x1.71547652b82fep+7); // 128 / ln 2
            if (bksi_is_decided(power, SLACK)) {
                return (float)power;
            }
        }
    }
    return slow_pow(x, y);
}

#define DOUBLE_ONE 0x3FF0000000000000u

/// Return the natural logarithm, with a relative error of 2^-66.
/// @param x  positive and finite
static inline bksi_pair log_of(double x)
{
    const bksi_log_whole parts = bksi_log_take_apart(x);
    const double r = parts.r;
    // Half of the square of r; the square of the upper half of r is exact.
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

/// Return |x|^y of numbers that are finite and not 0.
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

/// Return 0 if y is no integer, 1 if it is odd, 2 if it is even.
/// @param size  |y| as the bits of a double
static int whole_kind_double(uint64_t size)
{
    if (size >= 0x4340000000000000u) { // 2^53: from here on every double is an even integer
        return 2;
    }
    const double y = bksi_double_of(size);
    const int64_t whole = (int64_t)y;
    return (double)whole < y ? 0 : whole % 2 == 0 ? 2 : 1;
}

/// Return the power for negative and special arguments.
static double special_pow(double x, double y)
{
    const uint64_t a = bksi_double_bits(x) & ~BKSI_DOUBLE_SIGN;
    const uint64_t b = bksi_double_bits(y) & ~BKSI_DOUBLE_SIGN;
    if (b == 0 || bksi_double_bits(x) == DOUBLE_ONE) {
        return 1.0;
    }
    if (a > BKSI_DOUBLE_INFINITY || b > BKSI_DOUBLE_INFINITY) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    const int kind = whole_kind_double(b);
    const bool is_negative = bksi_double_bits(x) >> 63 != 0;
    const uint64_t sign = is_negative && kind == 1 ? BKSI_DOUBLE_SIGN : 0;
    // Here x is -1, and y is infinite or an integer.
    if (a == DOUBLE_ONE && (b == BKSI_DOUBLE_INFINITY || kind != 0)) {
        return bksi_double_of(DOUBLE_ONE | sign);
    }
    if (b == BKSI_DOUBLE_INFINITY || a == 0 || a == BKSI_DOUBLE_INFINITY) {
        const bool is_growing = (a > DOUBLE_ONE) == (y > 0.0);
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
