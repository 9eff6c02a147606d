// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

// Comparisons with a NaN that are not invalid operations, so they work where invalid operations are
// trapped.
#if defined(__GNUC__)
#define AT_LEAST(a, b) __builtin_isgreaterequal((a), (b))
#define ABOVE(a, b)    __builtin_isgreater((a), (b))
#else
#define AT_LEAST(a, b) ((a) >= (b))
#define ABOVE(a, b)    ((a) > (b))
#endif

// All limits of the conversions are powers of two or neighbours of powers of two, which a double
// holds exactly. Every comparison with a NaN is false.

int32_t bks_to_int32(double value)
{
    if (AT_LEAST(value, 2147483648.0)) {
        return INT32_MAX;
    }
    if (ABOVE(value, -2147483649.0)) {
        return (int32_t)value;
    }
    return ABOVE(0.0, value) ? INT32_MIN : 0;
}

uint32_t bks_to_uint32(double value)
{
    if (AT_LEAST(value, 4294967296.0)) {
        return UINT32_MAX;
    }
    return ABOVE(value, 0.0) ? (uint32_t)value : 0;
}

int64_t bks_to_int64(double value)
{
    if (AT_LEAST(value, 9223372036854775808.0)) {
        return INT64_MAX;
    }
    if (AT_LEAST(value, -9223372036854775808.0)) {
        return (int64_t)value;
    }
    return ABOVE(0.0, value) ? INT64_MIN : 0;
}

uint64_t bks_to_uint64(double value)
{
    if (AT_LEAST(value, 18446744073709551616.0)) {
        return UINT64_MAX;
    }
    return ABOVE(value, 0.0) ? (uint64_t)value : 0;
}

static int32_t fit(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

int32_t bks_add_int32(int32_t a, int32_t b)
{
    return fit((int64_t)a + b);
}

int32_t bks_subtract_int32(int32_t a, int32_t b)
{
    return fit((int64_t)a - b);
}

int32_t bks_multiply_int32(int32_t a, int32_t b)
{
    return fit((int64_t)a * b);
}
