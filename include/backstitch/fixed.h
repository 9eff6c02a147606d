// SPDX-License-Identifier: MIT

/// @file fixed.h
/// Fixed point: numbers that are equally fine everywhere, in integers.
///
/// A bks_fixed has 16 bits before and 16 behind the point: -32768 to 32767.99998, in steps of
/// 1/65536. A bks_fixed64 has 32 and 32: -2147483648 to 2147483647.9999999998, in steps of
/// 1/4294967296. They are plain integers: compare them as such; negate all but the smallest, and
/// shift left what is not negative.
///
///     bks_fixed speed = bks_fixed_divide(bks_fixed_of_int(3), bks_fixed_of_int(7));
///     ship->x = bks_fixed_add(ship->x, bks_fixed_multiply(speed, bks_fixed_cos(ship->heading)));
///
/// Results are rounded to the nearest step, halves away from 0. One that does not fit becomes the
/// largest or the smallest number. None of these functions overflows or traps.
///
/// Thread rule: any thread.

#ifndef BACKSTITCH_FIXED_H
#define BACKSTITCH_FIXED_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A number of 16.16 bits.
typedef int32_t bks_fixed;

/// A number of 32.32 bits.
typedef int64_t bks_fixed64;

#define BKS_FIXED_ONE   65536               ///< 1 as a bks_fixed
#define BKS_FIXED64_ONE INT64_C(4294967296) ///< 1 as a bks_fixed64

/// @return the integer as it is
BKS_API bks_fixed bks_fixed_of_int(int32_t value);

/// @return the nearest number; 0 of a NaN
BKS_API bks_fixed bks_fixed_of_double(double value);

/// @return the number, exact
BKS_API double bks_fixed_to_double(bks_fixed a);

/// @return the greatest integer that is at most a
BKS_API int32_t bks_fixed_floor(bks_fixed a);

/// @return the nearest integer, halves away from 0
BKS_API int32_t bks_fixed_round(bks_fixed a);

/// @return a + b
BKS_API bks_fixed bks_fixed_add(bks_fixed a, bks_fixed b);

/// @return a - b
BKS_API bks_fixed bks_fixed_subtract(bks_fixed a, bks_fixed b);

/// @return a * b
BKS_API bks_fixed bks_fixed_multiply(bks_fixed a, bks_fixed b);

/// @return a / b; of b = 0 the largest number, the smallest when a is negative, 0 when a is 0
BKS_API bks_fixed bks_fixed_divide(bks_fixed a, bks_fixed b);

/// @return a without multiples of b, with the sign of a, exact; 0 of b = 0
BKS_API bks_fixed bks_fixed_remainder(bks_fixed a, bks_fixed b);

/// @return the square root; 0 below 0
BKS_API bks_fixed bks_fixed_sqrt(bks_fixed a);

/// @return the distance of the point (x, y)
BKS_API bks_fixed bks_fixed_hypot(bks_fixed x, bks_fixed y);

// The rest is worked out in doubles, as in math.h, and rounded: at most 0.51 steps wrong.

/// @return the sine of an angle in radians
BKS_API bks_fixed bks_fixed_sin(bks_fixed radians);

/// @return the cosine of an angle in radians
BKS_API bks_fixed bks_fixed_cos(bks_fixed radians);

/// @return the angle of the point (x, y) in radians, -pi to pi; 0 of (0, 0)
BKS_API bks_fixed bks_fixed_atan2(bks_fixed y, bks_fixed x);

/// @return e^a; the largest number from 10.4 on
BKS_API bks_fixed bks_fixed_exp(bks_fixed a);

/// @return the natural logarithm; the smallest number of what is not above 0
BKS_API bks_fixed bks_fixed_log(bks_fixed a);

/// @return a^b; 0 where there is none, as of a negative number and a fraction
BKS_API bks_fixed bks_fixed_pow(bks_fixed a, bks_fixed b);

/// @return the integer as it is
BKS_API bks_fixed64 bks_fixed64_of_int(int32_t value);

/// @return the nearest number; 0 of a NaN
BKS_API bks_fixed64 bks_fixed64_of_double(double value);

/// @return the nearest double
BKS_API double bks_fixed64_to_double(bks_fixed64 a);

/// @return a + b
BKS_API bks_fixed64 bks_fixed64_add(bks_fixed64 a, bks_fixed64 b);

/// @return a - b
BKS_API bks_fixed64 bks_fixed64_subtract(bks_fixed64 a, bks_fixed64 b);

/// @return a * b
BKS_API bks_fixed64 bks_fixed64_multiply(bks_fixed64 a, bks_fixed64 b);

/// @return a / b; of b = 0 the largest number, the smallest when a is negative, 0 when a is 0
BKS_API bks_fixed64 bks_fixed64_divide(bks_fixed64 a, bks_fixed64 b);

/// @return the square root; 0 below 0
BKS_API bks_fixed64 bks_fixed64_sqrt(bks_fixed64 a);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_FIXED_H
