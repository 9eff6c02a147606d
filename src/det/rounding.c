// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_bits.h"

#define SIZE 0x7FFFFFFFu
/// From 2^23 on every float is an integer.
#define WHOLE 0x4B000000u

/// What is an integer already, an infinity or a NaN.
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
    // In a double the sum is exact.
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
