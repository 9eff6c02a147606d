// SPDX-License-Identifier: MIT

#include <stdbool.h>

#include "backstitch/math.h"

#define HALF 32768

static bks_fixed fit(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (bks_fixed)value;
}

/// Return the integer nearest to a quotient, halves away from 0.
static int64_t nearest_quotient(int64_t a, int64_t b)
{
    const int64_t whole = a / b;
    const int64_t rest = a % b;
    const int64_t twice = 2 * (rest < 0 ? -rest : rest);
    const int64_t away = (a < 0) == (b < 0) ? 1 : -1;
    return twice >= (b < 0 ? -b : b) ? whole + away : whole;
}

bks_fixed bks_fixed_of_int(int32_t value)
{
    return fit((int64_t)value * BKS_FIXED_ONE);
}

bks_fixed bks_fixed_of_double(double value)
{
    return bks_to_int32(bks_round(value * BKS_FIXED_ONE));
}

double bks_fixed_to_double(bks_fixed a)
{
    return a * (1.0 / BKS_FIXED_ONE);
}

int32_t bks_fixed_floor(bks_fixed a)
{
    return a / BKS_FIXED_ONE - (a % BKS_FIXED_ONE < 0);
}

int32_t bks_fixed_round(bks_fixed a)
{
    return (int32_t)(((int64_t)a + (a < 0 ? -HALF : HALF)) / BKS_FIXED_ONE);
}

bks_fixed bks_fixed_add(bks_fixed a, bks_fixed b)
{
    return bks_add_int32(a, b);
}

bks_fixed bks_fixed_subtract(bks_fixed a, bks_fixed b)
{
    return bks_subtract_int32(a, b);
}

bks_fixed bks_fixed_multiply(bks_fixed a, bks_fixed b)
{
    const int64_t product = (int64_t)a * b;
    return fit((product + (product < 0 ? -HALF : HALF)) / BKS_FIXED_ONE);
}

bks_fixed bks_fixed_divide(bks_fixed a, bks_fixed b)
{
    if (b == 0) {
        return a > 0 ? INT32_MAX : a < 0 ? INT32_MIN : 0;
    }
    return fit(nearest_quotient((int64_t)a * BKS_FIXED_ONE, b));
}

bks_fixed bks_fixed_remainder(bks_fixed a, bks_fixed b)
{
    return b == 0 ? 0 : (bks_fixed)((int64_t)a % b);
}

bks_fixed bks_fixed_sqrt(bks_fixed a)
{
    // The number under the root has 47 bits. No root of such a number is so close to a midpoint
    // that a double rounds it wrongly.
    return a <= 0 ? 0 : (bks_fixed)(bks_sqrt((double)a * BKS_FIXED_ONE) + 0.5);
}

bks_fixed bks_fixed_hypot(bks_fixed x, bks_fixed y)
{
    // The sum may have more bits than a double, so correct the root by its square.
    const uint64_t sum = (uint64_t)((int64_t)x * x) + (uint64_t)((int64_t)y * y);
    uint64_t root = (uint64_t)bks_sqrt((double)(int64_t)(sum / 2) * 2.0);
    while (root * root > sum) {
        root--;
    }
    while ((root + 1) * (root + 1) <= sum) {
        root++;
    }
    return fit((int64_t)(root + (sum - root * root > root)));
}

bks_fixed bks_fixed_sin(bks_fixed radians)
{
    return bks_fixed_of_double(bks_sin(bks_fixed_to_double(radians)));
}

bks_fixed bks_fixed_cos(bks_fixed radians)
{
    return bks_fixed_of_double(bks_cos(bks_fixed_to_double(radians)));
}

bks_fixed bks_fixed_atan2(bks_fixed y, bks_fixed x)
{
    return bks_fixed_of_double(bks_atan2(y, x));
}

bks_fixed bks_fixed_exp(bks_fixed a)
{
    return bks_fixed_of_double(bks_exp(bks_fixed_to_double(a)));
}

bks_fixed bks_fixed_log(bks_fixed a)
{
    return a <= 0 ? INT32_MIN : bks_fixed_of_double(bks_log(bks_fixed_to_double(a)));
}

bks_fixed bks_fixed_pow(bks_fixed a, bks_fixed b)
{
    return bks_fixed_of_double(bks_pow(bks_fixed_to_double(a), bks_fixed_to_double(b)));
}

/// Absolute value of INT64_MIN.
#define SIZE_MAX_BELOW (1ull << 63)

typedef struct wide {
    uint64_t high;
    uint64_t low;
} wide;

static uint64_t size_of(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/// Return the number with the sign and absolute value given; if it does not fit, the nearest one
/// that does.
static int64_t fit_64(bool is_negative, bool is_beyond, uint64_t size)
{
    if (is_negative) {
        return is_beyond || size >= SIZE_MAX_BELOW ? INT64_MIN : -(int64_t)size;
    }
    return is_beyond || size >= SIZE_MAX_BELOW ? INT64_MAX : (int64_t)size;
}

/// Multiply in parts of 32 bits, because not every compiler has integers of 128 bits.
static wide multiply(uint64_t a, uint64_t b)
{
    const uint64_t a_low = a & UINT32_MAX;
    const uint64_t b_low = b & UINT32_MAX;
    const uint64_t low = a_low * b_low;
    const uint64_t cross = (a >> 32) * b_low + (low >> 32);
    const uint64_t cross2 = a_low * (b >> 32) + (cross & UINT32_MAX);
    return (wide){(a >> 32) * (b >> 32) + (cross >> 32) + (cross2 >> 32),
                  cross2 << 32 | (low & UINT32_MAX)};
}

bks_fixed64 bks_fixed64_of_int(int32_t value)
{
    return (int64_t)value * BKS_FIXED64_ONE;
}

bks_fixed64 bks_fixed64_of_double(double value)
{
    return bks_to_int64(bks_round(value * (double)BKS_FIXED64_ONE));
}

double bks_fixed64_to_double(bks_fixed64 a)
{
    return (double)a * (1.0 / (double)BKS_FIXED64_ONE);
}

bks_fixed64 bks_fixed64_add(bks_fixed64 a, bks_fixed64 b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return b > 0 ? INT64_MAX : INT64_MIN;
    }
    return a + b;
}

bks_fixed64 bks_fixed64_subtract(bks_fixed64 a, bks_fixed64 b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) {
        return b < 0 ? INT64_MAX : INT64_MIN;
    }
    return a - b;
}

bks_fixed64 bks_fixed64_multiply(bks_fixed64 a, bks_fixed64 b)
{
    wide product = multiply(size_of(a), size_of(b));
    product.low += 1ull << 31; // half a unit of the result, to round to nearest
    product.high += product.low < 1ull << 31;
    return fit_64((a < 0) != (b < 0), product.high >> 32 != 0,
                  product.high << 32 | product.low >> 32);
}

bks_fixed64 bks_fixed64_divide(bks_fixed64 a, bks_fixed64 b)
{
    if (b == 0) {
        return a > 0 ? INT64_MAX : a < 0 ? INT64_MIN : 0;
    }
    const uint64_t divisor = size_of(b);
    uint64_t quotient = size_of(a) / divisor;
    uint64_t rest = size_of(a) % divisor;
    const bool is_beyond = quotient >> 31 != 0;
    for (int bit = 0; bit < 32; bit++) { // compute the fraction bit by bit
        rest <<= 1;                      // no overflow, because `rest` is less than 2^63
        quotient = quotient << 1 | (rest >= divisor);
        rest -= rest >= divisor ? divisor : 0;
    }
    quotient += rest >= divisor - rest;
    return fit_64((a < 0) != (b < 0), is_beyond, quotient);
}

/// Return true if a is greater than b.
static bool is_more(wide a, wide b)
{
    return a.high > b.high || (a.high == b.high && a.low > b.low);
}

bks_fixed64 bks_fixed64_sqrt(bks_fixed64 a)
{
    if (a <= 0) {
        return 0;
    }
    // The root of a * 2^32 has at most 48 bits. Computed as a double, it is wrong by at most one.
    const wide square = {(uint64_t)a >> 32, (uint64_t)a << 32};
    uint64_t root = (uint64_t)(bks_sqrt((double)a) * 65536.0);
    while (is_more(multiply(root, root), square)) {
        root--;
    }
    // Round up if the number is above the square of root + 1/2, which is root * (root + 1) + 1/4.
    while (is_more(square, multiply(root, root + 1))) {
        root++;
    }
    return (int64_t)root;
}
