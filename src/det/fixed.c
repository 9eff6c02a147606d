// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#define HALF 32768

static bks_fixed fit(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (bks_fixed)value;
}

/// The quotient's nearest integer, halves away from 0.
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
    // 47 bits: no root of such a number is so close to a half that a double would not see it.
    return a <= 0 ? 0 : (bks_fixed)(bks_sqrt((double)a * BKS_FIXED_ONE) + 0.5);
}

bks_fixed bks_fixed_hypot(bks_fixed x, bks_fixed y)
{
    // The sum may have more bits than a double, so the root is put right by its square.
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
