// SPDX-License-Identifier: MIT

/// @file math.h Mathematics for a step: the same bits from every compiler and processor, unlike the
/// functions of a C library.
///
///     ship->x += bks_cosf(ship->heading) * ship->speed;
///
/// The float functions are correctly rounded: the result is the float nearest to the true value,
/// ties to even; docs/determinism.md says how far that is proven. Angles are in radians and may be
/// of any size. Unless a function says otherwise, the result for a NaN, or for an argument outside
/// the function's domain, is a NaN. A NaN result always has the same bits: 7FC00000, or
/// 7FF8000000000000 for doubles. No function sets errno.
///
/// These functions need the floating-point environment that a step has (det.h): round to nearest,
/// denormals kept.
///
/// Thread rule: any thread.

#ifndef BACKSTITCH_MATH_H
#define BACKSTITCH_MATH_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Return the square root of x; -0 for -0; a NaN for x below 0.
BKS_API float bks_sqrtf(float x);

/// Return the cube root of x, with the sign of x; infinities and zeros are returned unchanged.
BKS_API float bks_cbrtf(float x);

/// Return the greatest integer that is at most x; infinities and zeros are returned unchanged.
BKS_API float bks_floorf(float x);

/// Return the least integer that is at least x; -0 for x between -1 and 0; infinities and zeros are
/// returned unchanged.
BKS_API float bks_ceilf(float x);

/// Return x without its fraction, with the sign of x; infinities and zeros are returned unchanged.
BKS_API float bks_truncf(float x);

/// Return the integer nearest to x, halves away from 0, with the sign of x; infinities and zeros
/// are returned unchanged.
BKS_API float bks_roundf(float x);

/// Return the integer nearest to x, halves to the even one, with the sign of x; infinities and
/// zeros are returned unchanged.
BKS_API float bks_rintf(float x);

/// Return the sine of x, -1 to 1; -0 for -0; a NaN for an infinity.
BKS_API float bks_sinf(float x);

/// Return the cosine of x, -1 to 1; a NaN for an infinity.
BKS_API float bks_cosf(float x);

/// Return the tangent of x; -0 for -0; a NaN for an infinity. No float is exactly a pole.
BKS_API float bks_tanf(float x);

/// Return the angle whose sine is x, -pi/2 to pi/2; -0 for -0; a NaN for x below -1 or above 1.
BKS_API float bks_asinf(float x);

/// Return the angle whose cosine is x, 0 to pi; a NaN for x below -1 or above 1.
BKS_API float bks_acosf(float x);

/// Return the angle whose tangent is x, -pi/2 to pi/2, the limits for infinities; -0 for -0.
BKS_API float bks_atanf(float x);

/// Return e^x; infinity from 88.72284 on, 0 below -103.97208.
BKS_API float bks_expf(float x);

/// Return 2^x; infinity from 128 on, 0 from -150 down.
BKS_API float bks_exp2f(float x);

/// Return the natural logarithm of x; minus infinity for 0 and -0; a NaN for x below 0.
BKS_API float bks_logf(float x);

/// Return the logarithm of x to base 2; minus infinity for 0 and -0; a NaN for x below 0.
BKS_API float bks_log2f(float x);

/// Get the angle of the point (x, y), against the x axis.
/// @return -pi to pi, with the sign of y; pi/2 in size for x = 0 and y other than 0; pi/4 or 3 pi/4
///         in size for two infinities; for y = 0 or -0: y itself if x is positive or +0, pi in size
///         if x is negative or -0
BKS_API float bks_atan2f(float y, float x);

/// Get the distance of the point (x, y) from the origin, even if the squares are too large or too
/// small for floats.
/// @return at least 0; infinity when either is infinite, even if the other is a NaN
BKS_API float bks_hypotf(float x, float y);

/// Get the exact remainder of x divided by y.
/// @return less than y in size, with the sign of x; x when y is infinite; a NaN when x is infinite
///         or y is 0
BKS_API float bks_fmodf(float x, float y);

/// Return x^y; 1 when y is 0 or x is 1, even if the other is a NaN; a NaN when x is negative and y
/// no integer. For infinities and zeros the results are those of C17 F.10.4.4.
BKS_API float bks_powf(float x, float y);

// Functions for doubles. Those up to bks_fmod() are exact or correctly rounded. Each of the others
// states its largest error in units in the last place (ulp), measured on random arguments.

/// Return the square root of x, correctly rounded; -0 for -0; a NaN for x below 0.
BKS_API double bks_sqrt(double x);

/// Return the greatest integer that is at most x, as bks_floorf() does.
BKS_API double bks_floor(double x);

/// Return the least integer that is at least x, as bks_ceilf() does.
BKS_API double bks_ceil(double x);

/// Return x without its fraction, as bks_truncf() does.
BKS_API double bks_trunc(double x);

/// Return the integer nearest to x, halves away from 0, as bks_roundf() does.
BKS_API double bks_round(double x);

/// Return the integer nearest to x, halves to the even one, as bks_rintf() does.
BKS_API double bks_rint(double x);

/// Return the remainder of x divided by y, exact, as bks_fmodf() does.
BKS_API double bks_fmod(double x, double y);

/// Return the sine of x, at most 1 ulp wrong; -0 for -0; a NaN for an infinity.
BKS_API double bks_sin(double x);

/// Return the cosine of x, at most 1 ulp wrong; a NaN for an infinity.
BKS_API double bks_cos(double x);

/// Return the angle of the point (x, y), as bks_atan2f() does, at most 1 ulp wrong.
BKS_API double bks_atan2(double y, double x);

/// Return e^x, at most 0.55 ulp wrong, or 1 ulp if the result is below 2^-1022; infinity from
/// 709.79 on, 0 below -745.2.
BKS_API double bks_exp(double x);

/// Return the natural logarithm of x, at most 0.55 ulp wrong; minus infinity for 0 and -0; a NaN
/// for x below 0.
BKS_API double bks_log(double x);

/// Return x^y, as bks_powf() does, at most 0.6 ulp wrong, or 1 ulp if the result is below 2^-1022.
BKS_API double bks_pow(double x, double y);

// Vectors of the plane and angles, with the same bits on every machine.
//
//     ship->velocity = bks_vector_polar(ship->heading, 3.0f);
//     ship->heading = bks_angle_turn(ship->heading, bks_vector_angle(to_target), 0.05f);
//
// Angles are in radians, counter-clockwise from the x axis where y points up. Each result is worked
// out in doubles and rounded to a float once, so its error is at most 0.51 ulp unless a function
// says otherwise. A component without a result is the NaN 7FC00000.
//
// Thread rule: any thread.

/// A vector or a point of the plane, in the game's own units.
typedef struct bks_vector {
    float x; ///< component to the right
    float y; ///< component up or down, as the game defines it
} bks_vector;

/// Return the length of v, correctly rounded, as bks_hypotf() does.
BKS_API float bks_vector_length(bks_vector v);

/// Return the vector of length 1 in the direction of v; (0, 0) for (0, 0); NaNs if v is not finite.
BKS_API bks_vector bks_vector_normalise(bks_vector v);

/// Return v turned by `radians`; if the two products of a component nearly cancel, the error is
/// 2^-50 of the larger product.
BKS_API bks_vector bks_vector_rotate(bks_vector v, float radians);

/// Return the vector of this angle and length; a negative length points the other way.
BKS_API bks_vector bks_vector_polar(float radians, float length);

/// Return the angle of v, -pi to pi, correctly rounded, as bks_atan2f(v.y, v.x) does.
BKS_API float bks_vector_angle(bks_vector v);

/// Return the same angle reduced to -pi..pi, where both limits are rounded to floats; a NaN for an
/// infinity.
BKS_API float bks_angle_wrap(float radians);

/// Return the angle by which `from` must turn the shorter way to become `to`, -pi to pi.
BKS_API float bks_angle_between(float from, float to);

/// Turn towards an angle.
/// @param most_radians  largest turn, not negative
/// @return `from` turned towards `to` on the shorter way, -pi to pi; the angle of `to` when it is
///         within most_radians
BKS_API float bks_angle_turn(float from, float to, float most_radians);

// Fixed point: numbers in integers, with the same resolution over their whole range.
//
// A bks_fixed has 16 bits before and 16 after the point: -32768 to 32767.99998, in steps of
// 1/65536. A bks_fixed64 has 32 and 32: -2147483648 to 2147483647.9999999998, in steps of
// 1/4294967296. They are plain integers and can be compared like them; you may negate all but the
// smallest, and shift left those that are not negative.
//
//     bks_fixed speed = bks_fixed_divide(bks_fixed_of_int(3), bks_fixed_of_int(7));
//     ship->x = bks_fixed_add(ship->x, bks_fixed_multiply(speed, bks_fixed_cos(ship->heading)));
//
// Results are rounded to the nearest step, halves away from 0. A result that does not fit becomes
// the largest or the smallest number. None of these functions overflows or traps.
//
// Thread rule: any thread.

/// A fixed-point number with 16 bits before and 16 bits after the point.
typedef int32_t bks_fixed;

/// A fixed-point number with 32 bits before and 32 bits after the point.
typedef int64_t bks_fixed64;

#define BKS_FIXED_ONE   65536               ///< 1 as a bks_fixed
#define BKS_FIXED64_ONE INT64_C(4294967296) ///< 1 as a bks_fixed64

/// Return the bks_fixed nearest to an integer: exact from -32768 to 32767; 100000 becomes
/// 32767.99998.
BKS_API bks_fixed bks_fixed_of_int(int32_t value);

/// Return the bks_fixed nearest to a double; 0 for a NaN.
BKS_API bks_fixed bks_fixed_of_double(double value);

/// Return a bks_fixed as a double, exactly.
BKS_API double bks_fixed_to_double(bks_fixed a);

/// Return the greatest integer that is at most the bks_fixed a.
BKS_API int32_t bks_fixed_floor(bks_fixed a);

/// Return the integer nearest to the bks_fixed a, halves away from 0.
BKS_API int32_t bks_fixed_round(bks_fixed a);

/// Return a + b.
BKS_API bks_fixed bks_fixed_add(bks_fixed a, bks_fixed b);

/// Return a - b.
BKS_API bks_fixed bks_fixed_subtract(bks_fixed a, bks_fixed b);

/// Return a * b.
BKS_API bks_fixed bks_fixed_multiply(bks_fixed a, bks_fixed b);

/// Return a / b. If b is 0, return the largest number for a positive a, the smallest for a negative
/// a, 0 for 0.
BKS_API bks_fixed bks_fixed_divide(bks_fixed a, bks_fixed b);

/// Return the exact remainder of a / b, with the sign of a; 0 for b = 0.
BKS_API bks_fixed bks_fixed_remainder(bks_fixed a, bks_fixed b);

/// Return the square root of a; 0 for a below 0.
BKS_API bks_fixed bks_fixed_sqrt(bks_fixed a);

/// Return the distance of the point (x, y) from the origin.
BKS_API bks_fixed bks_fixed_hypot(bks_fixed x, bks_fixed y);

// The functions from bks_fixed_sin() to bks_fixed_pow() compute in doubles and round the result:
// they are at most 0.51 steps wrong.

/// Return the sine of an angle in radians.
BKS_API bks_fixed bks_fixed_sin(bks_fixed radians);

/// Return the cosine of an angle in radians.
BKS_API bks_fixed bks_fixed_cos(bks_fixed radians);

/// Return the angle of the point (x, y) in radians, -pi to pi; 0 for (0, 0).
BKS_API bks_fixed bks_fixed_atan2(bks_fixed y, bks_fixed x);

/// Return e^a; the largest number for a of 10.4 and above.
BKS_API bks_fixed bks_fixed_exp(bks_fixed a);

/// Return the natural logarithm of a; the smallest number for a of 0 and below.
BKS_API bks_fixed bks_fixed_log(bks_fixed a);

/// Return a^b; 0 if it is not defined, as for a negative a and a fraction b.
BKS_API bks_fixed bks_fixed_pow(bks_fixed a, bks_fixed b);

/// Return an integer as a bks_fixed64, exactly.
BKS_API bks_fixed64 bks_fixed64_of_int(int32_t value);

/// Return the bks_fixed64 nearest to a double; 0 for a NaN.
BKS_API bks_fixed64 bks_fixed64_of_double(double value);

/// Return the double nearest to the bks_fixed64 a.
BKS_API double bks_fixed64_to_double(bks_fixed64 a);

/// Return a + b.
BKS_API bks_fixed64 bks_fixed64_add(bks_fixed64 a, bks_fixed64 b);

/// Return a - b.
BKS_API bks_fixed64 bks_fixed64_subtract(bks_fixed64 a, bks_fixed64 b);

/// Return a * b.
BKS_API bks_fixed64 bks_fixed64_multiply(bks_fixed64 a, bks_fixed64 b);

/// Return a / b. If b is 0, return the largest number for a positive a, the smallest for a negative
/// a, 0 for 0.
BKS_API bks_fixed64 bks_fixed64_divide(bks_fixed64 a, bks_fixed64 b);

/// Return the square root of a; 0 for a below 0.
BKS_API bks_fixed64 bks_fixed64_sqrt(bks_fixed64 a);

// Conversions and sums that saturate. C does not define the conversion of a number that does not
// fit, and processors differ: (int32_t)1e10f is the smallest integer on x86 and the largest on Arm.
//
//     ship->x = bks_to_int32(ship->x_exact * 256.0f); // any float, NaN too
//     ship->fuel = bks_add_int32(ship->fuel, gained);
//
// Thread rule: any thread.

/// Convert a number, which may be a float, to an integer of 32 bits.
/// @return `value` without its fraction; INT32_MIN or INT32_MAX if that does not fit; 0 for a NaN
BKS_API int32_t bks_to_int32(double value);

/// Convert a number to an unsigned integer of 32 bits.
/// @return `value` without its fraction; 0 or UINT32_MAX if that does not fit; 0 for a NaN
BKS_API uint32_t bks_to_uint32(double value);

/// Convert a number to an integer of 64 bits.
/// @return `value` without its fraction; INT64_MIN or INT64_MAX if that does not fit; 0 for a NaN
BKS_API int64_t bks_to_int64(double value);

/// Convert a number to an unsigned integer of 64 bits.
/// @return `value` without its fraction; 0 or UINT64_MAX if that does not fit; 0 for a NaN
BKS_API uint64_t bks_to_uint64(double value);

/// Return a + b; INT32_MIN or INT32_MAX if the sum does not fit.
BKS_API int32_t bks_add_int32(int32_t a, int32_t b);

/// Return a - b; INT32_MIN or INT32_MAX if the difference does not fit.
BKS_API int32_t bks_subtract_int32(int32_t a, int32_t b);

/// Return a * b; INT32_MIN or INT32_MAX if the product does not fit.
BKS_API int32_t bks_multiply_int32(int32_t a, int32_t b);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_MATH_H
