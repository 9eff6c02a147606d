// SPDX-License-Identifier: MIT

/// @file math.h
/// Mathematics for a step: the same bits from every compiler and processor, which those of a C
/// library are not.
///
///     ship->x += bks_cosf(ship->heading) * ship->speed;
///
/// The float functions are correctly rounded: the result is the float nearest to the true value,
/// ties to even; docs/determinism.md says how far that is proven. Angles are in radians and may be
/// of any size. Where nothing else is said, a NaN gives a NaN, and so does an argument for which
/// there is no result. A NaN that comes out is always the same: 7FC00000, of doubles
/// 7FF8000000000000. No function sets errno.
///
/// They need the floating-point environment that a step has (floats.h): round to nearest, denormals
/// kept.
///
/// Thread rule: any thread.

#ifndef BACKSTITCH_MATH_H
#define BACKSTITCH_MATH_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @return the square root; -0 of -0; a NaN below 0
BKS_API float bks_sqrtf(float x);

/// @return the cube root, with the sign of x; infinities and zeros as they are
BKS_API float bks_cbrtf(float x);

/// @return the greatest integer that is at most x; infinities and zeros as they are
BKS_API float bks_floorf(float x);

/// @return the least integer that is at least x, -0 between -1 and 0; infinities and zeros as they
/// are
BKS_API float bks_ceilf(float x);

/// @return x without its fraction, with the sign of x; infinities and zeros as they are
BKS_API float bks_truncf(float x);

/// @return the nearest integer, halves away from 0, with the sign of x; infinities and zeros as
/// they
///         are
BKS_API float bks_roundf(float x);

/// @return the nearest integer, halves to the even one, with the sign of x; infinities and zeros as
///         they are
BKS_API float bks_rintf(float x);

/// @return the sine, -1 to 1; -0 of -0; a NaN of an infinity
BKS_API float bks_sinf(float x);

/// @return the cosine, -1 to 1; a NaN of an infinity
BKS_API float bks_cosf(float x);

/// @return the tangent; -0 of -0; a NaN of an infinity. No float is a pole
BKS_API float bks_tanf(float x);

/// @return the angle whose sine is x, -pi/2 to pi/2; -0 of -0; a NaN below -1 or above 1
BKS_API float bks_asinf(float x);

/// @return the angle whose cosine is x, 0 to pi; a NaN below -1 or above 1
BKS_API float bks_acosf(float x);

/// @return the angle whose tangent is x, -pi/2 to pi/2, which infinities give; -0 of -0
BKS_API float bks_atanf(float x);

/// @return e^x; infinity from 88.72284 on, 0 below -103.97208
BKS_API float bks_expf(float x);

/// @return 2^x; infinity from 128 on, 0 from -150 down
BKS_API float bks_exp2f(float x);

/// @return the natural logarithm; minus infinity of 0 and of -0; a NaN below 0
BKS_API float bks_logf(float x);

/// @return the logarithm to base 2; minus infinity of 0 and of -0; a NaN below 0
BKS_API float bks_log2f(float x);

/// The angle of the point (x, y), against the x axis.
/// @return -pi to pi, with the sign of y; pi/2 of x = 0, a multiple of pi/4 of two infinities; for
/// y
///         = 0 the zero itself where x is positive or 0, pi where x is negative or -0
BKS_API float bks_atan2f(float y, float x);

/// The distance of the point (x, y), also where the squares are no floats.
/// @return at least 0; infinity when either is infinite, even if the other is a NaN
BKS_API float bks_hypotf(float x, float y);

/// x without multiples of y, exact.
/// @return less than y in size, with the sign of x; x when y is infinite; a NaN when x is infinite
/// or
///         y is 0
BKS_API float bks_fmodf(float x, float y);

/// @return x^y; 1 when y is 0 or x is 1, even if the other is a NaN; a NaN when x is negative and y
///         no integer. Infinities and zeros as C17 F.10.4.4 has them
BKS_API float bks_powf(float x, float y);

// Doubles. Those up to bks_fmod() are exact or correctly rounded. Of the others the error is at
// most what is said, in units in the last place (ulp); it was measured on random arguments.

/// @return the square root, correctly rounded; -0 of -0; a NaN below 0
BKS_API double bks_sqrt(double x);

/// @return as bks_floorf()
BKS_API double bks_floor(double x);

/// @return as bks_ceilf()
BKS_API double bks_ceil(double x);

/// @return as bks_truncf()
BKS_API double bks_trunc(double x);

/// @return as bks_roundf()
BKS_API double bks_round(double x);

/// @return as bks_rintf()
BKS_API double bks_rint(double x);

/// @return as bks_fmodf()
BKS_API double bks_fmod(double x, double y);

/// @return the sine, at most 1 ulp wrong; -0 of -0; a NaN of an infinity
BKS_API double bks_sin(double x);

/// @return the cosine, at most 1 ulp wrong; a NaN of an infinity
BKS_API double bks_cos(double x);

/// @return as bks_atan2f(), at most 1 ulp wrong
BKS_API double bks_atan2(double y, double x);

/// @return e^x, at most 0.55 ulp wrong, 1 ulp below 2^-1022; infinity from 709.79 on, 0 below
/// -745.2
BKS_API double bks_exp(double x);

/// @return the natural logarithm, at most 0.55 ulp wrong; minus infinity of 0 and of -0; a NaN
/// below 0
BKS_API double bks_log(double x);

/// @return as bks_powf(), at most 0.6 ulp wrong, 1 ulp below 2^-1022
BKS_API double bks_pow(double x, double y);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_MATH_H
