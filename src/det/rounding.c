// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_bits.h"

#define SIZE 0x7FFFFFFFu
/// Least float from which on every float is an integer: 2^23.
#define WHOLE 0x4B000000u

/// Return x as it is, but a NaN as the one NaN that all machines use.
static float as_it_is(float x)
{
    return (bksi_float_bits(x) & SIZE) > BKSI_FLOAT_INFINITY ? bksi_float_of(BKSI_FLOAT_NAN) : x;
}

float bks_floorf(float x)
{
    if ((bksi_float_bits(x) & SIZE) >= WHOLE) {
        return as_it_is(x);
    }
    const int32_t whole = (int32_t)x;
    return bksi_with_sign_of((float)(whole - ((float)whole > x)), x);
}

float bks_ceilf(float x)
{
    if ((bksi_float_bits(x) & SIZE) >= WHOLE) {
        return as_it_is(x);
    }
    const int32_t whole = (int32_t)x;
    return bksi_with_sign_of((float)(whole + ((float)whole < x)), x);
}

float bks_truncf(float x)
{
    if ((bksi_float_bits(x) & SIZE) >= WHOLE) {
        return as_it_is(x);
    }
    return bksi_with_sign_of((float)(int32_t)x, x);
}

float bks_roundf(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size >= WHOLE) {
        return as_it_is(x);
    }
    // The sum of |x| and a half is exact in a double.
    return bksi_with_sign_of((float)(int32_t)((double)bksi_float_of(size) + 0.5), x);
}

float bks_rintf(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size >= WHOLE) {
        return as_it_is(x);
    }
    const double shifted = (double)bksi_float_of(size) + BKSI_SHIFTER;
    return bksi_with_sign_of((float)(shifted - BKSI_SHIFTER), x);
}

#define DOUBLE_SIZE 0x7FFFFFFFFFFFFFFFu
/// Least double from which on every double is an integer: 2^52.
#define DOUBLE_WHOLE 0x4330000000000000u

static inline bool is_whole(double x)
{
    return (bksi_double_bits(x) & DOUBLE_SIZE) >= DOUBLE_WHOLE;
}

/// Return x as it is, but a NaN as the one NaN that all machines use.
static double as_it_is_double(double x)
{
    return (bksi_double_bits(x) & DOUBLE_SIZE) > BKSI_DOUBLE_INFINITY
               ? bksi_double_of(BKSI_DOUBLE_NAN)
               : x;
}

/// Return the integer nearest to |x|, halves to even.
static inline double nearest(double x)
{
    const double size = bksi_double_of(bksi_double_bits(x) & DOUBLE_SIZE);
    return (size + 0x1p52) - 0x1p52;
}

/// Convert a condition to 1 or 0 without a branch.
static inline double one_if(bool is_so)
{
    return bksi_double_of(bksi_double_bits(1.0) & (0 - (uint64_t)is_so));
}

double bks_floor(double x)
{
    if (is_whole(x)) {
        return as_it_is_double(x);
    }
    const double whole = bksi_double_with_sign_of(nearest(x), x);
    return bksi_double_with_sign_of(whole - one_if(whole > x), x);
}

double bks_ceil(double x)
{
    if (is_whole(x)) {
        return as_it_is_double(x);
    }
    const double whole = bksi_double_with_sign_of(nearest(x), x);
    return bksi_double_with_sign_of(whole + one_if(whole < x), x);
}

double bks_trunc(double x)
{
    if (is_whole(x)) {
        return as_it_is_double(x);
    }
    const double whole = nearest(x);
    const double size = bksi_double_of(bksi_double_bits(x) & DOUBLE_SIZE);
    return bksi_double_with_sign_of(whole - one_if(whole > size), x);
}

double bks_round(double x)
{
    if (is_whole(x)) {
        return as_it_is_double(x);
    }
    const double whole = nearest(x);
    const double size = bksi_double_of(bksi_double_bits(x) & DOUBLE_SIZE);
    // Round up if |x| is a half above the integer that it was rounded to.
    return bksi_double_with_sign_of(whole + one_if(size - whole >= 0.5), x);
}

double bks_rint(double x)
{
    return is_whole(x) ? as_it_is_double(x) : bksi_double_with_sign_of(nearest(x), x);
}

#define SIZE_DOUBLE 0x7FFFFFFFFFFFFFFFu

// The remainder is exact, because it is computed with integers.

static uint64_t mantissa_of_float(uint32_t size)
{
    return size >> 23 == 0 ? size : (size & 0x7FFFFFu) | 0x800000u;
}

float bks_fmodf(float x, float y)
{
    const uint32_t a = bksi_float_bits(x) & SIZE;
    const uint32_t b = bksi_float_bits(y) & SIZE;
    if (a >= BKSI_FLOAT_INFINITY || b > BKSI_FLOAT_INFINITY || b == 0) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (a < b) {
        return x;
    }
    const uint32_t exponent = b >> 23 == 0 ? 1 : b >> 23;
    uint32_t above = (a >> 23 == 0 ? 1 : a >> 23) - exponent;
    const uint64_t divisor = mantissa_of_float(b);
    uint64_t rest = mantissa_of_float(a);
    for (uint32_t bits = above < 40 ? above : 40; bits > 0; bits = above < 40 ? above : 40) {
        rest = (rest << bits) % divisor;
        above -= bits;
    }
    rest %= divisor;
    const double result = (double)(int64_t)rest * bksi_power_of_2((int32_t)exponent - 150);
    return bksi_with_sign_of((float)result, x);
}

static uint64_t mantissa_of_double(uint64_t size)
{
    return size >> 52 == 0 ? size : (size & 0xFFFFFFFFFFFFFu) | 1ull << 52;
}

double bks_fmod(double x, double y)
{
    const uint64_t a = bksi_double_bits(x) & SIZE_DOUBLE;
    const uint64_t b = bksi_double_bits(y) & SIZE_DOUBLE;
    if (a >= BKSI_DOUBLE_INFINITY || b > BKSI_DOUBLE_INFINITY || b == 0) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    if (a < b) {
        return x;
    }
    const uint32_t exponent = b >> 52 == 0 ? 1 : (uint32_t)(b >> 52);
    uint32_t above = (a >> 52 == 0 ? 1 : (uint32_t)(a >> 52)) - exponent;
    const uint64_t divisor = mantissa_of_double(b);
    uint64_t rest = mantissa_of_double(a);
    for (uint32_t bits = above < 11 ? above : 11; bits > 0; bits = above < 11 ? above : 11) {
        rest = (rest << bits) % divisor;
        above -= bits;
    }
    rest %= divisor;
    // Scale in two steps, because 2^-1074 is no normal number. Both steps are exact.
    const int32_t scale = (int32_t)exponent - 1075;
    const double result = (double)(int64_t)rest * bksi_power_of_2(scale / 2);
    return bksi_double_with_sign_of(result * bksi_power_of_2(scale - scale / 2), x);
}
