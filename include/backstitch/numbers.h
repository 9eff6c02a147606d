// SPDX-License-Identifier: MIT

/// @file numbers.h
/// Conversions and sums that saturate. Where C leaves open what a number comes to that does not
/// fit, processors differ: (int32_t)1e10f is the smallest integer on x86 and the largest on Arm.
///
///     ship->x = bks_to_int32(ship->x_exact * 256.0f); // any float, NaN too
///     ship->fuel = bks_add_int32(ship->fuel, gained);
///
/// Thread rule: any thread.

#ifndef BACKSTITCH_NUMBERS_H
#define BACKSTITCH_NUMBERS_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An integer of 32 bits from a number, which may be a float.
/// @return `value` without its fraction; INT32_MIN or INT32_MAX where it does not fit; 0 for a NaN
BKS_API int32_t bks_to_int32(double value);

/// The same without a sign.
/// @return `value` without its fraction; 0 or UINT32_MAX where it does not fit; 0 for a NaN
BKS_API uint32_t bks_to_uint32(double value);

/// An integer of 64 bits from a number.
/// @return `value` without its fraction; INT64_MIN or INT64_MAX where it does not fit; 0 for a NaN
BKS_API int64_t bks_to_int64(double value);

/// The same without a sign.
/// @return `value` without its fraction; 0 or UINT64_MAX where it does not fit; 0 for a NaN
BKS_API uint64_t bks_to_uint64(double value);

/// @return a + b, INT32_MIN or INT32_MAX where it does not fit
BKS_API int32_t bks_add_int32(int32_t a, int32_t b);

/// @return a - b, INT32_MIN or INT32_MAX where it does not fit
BKS_API int32_t bks_subtract_int32(int32_t a, int32_t b);

/// @return a * b, INT32_MIN or INT32_MAX where it does not fit
BKS_API int32_t bks_multiply_int32(int32_t a, int32_t b);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_NUMBERS_H
