// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_bits.h"

#define SIZE        0x7FFFFFFFu
#define SIZE_DOUBLE 0x7FFFFFFFFFFFFFFFu

// Everything here is integers: a remainder is exact.

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
    // In two steps, as 2^-1074 is none of a normal number; both are exact.
    const int32_t scale = (int32_t)exponent - 1075;
    const double result = (double)(int64_t)rest * bksi_power_of_2(scale / 2);
    return bksi_double_with_sign_of(result * bksi_power_of_2(scale - scale / 2), x);
}
