// SPDX-License-Identifier: MIT

/// @file vector.h
/// Vectors of the plane and angles, with the same bits on every machine.
///
///     ship->velocity = bks_vector_polar(ship->heading, 3.0f);
///     ship->heading = bks_angle_turn(ship->heading, bks_vector_angle(to_target), 0.05f);
///
/// Angles are in radians, counter-clockwise from the x axis where y points up. Each result is
/// worked out in doubles and rounded to a float once, so its error is at most 0.51 ulp unless
/// something else is said. A component without a result is the one NaN, 7FC00000.
///
/// Thread rule: any thread.

#ifndef BACKSTITCH_VECTOR_H
#define BACKSTITCH_VECTOR_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A vector or a point of the plane, in the game's own units.
typedef struct bks_vector {
    float x; ///< to the right
    float y; ///< up or down, as the game has it
} bks_vector;

/// @return the length, correctly rounded, as bks_hypotf()
BKS_API float bks_vector_length(bks_vector v);

/// @return the vector of length 1 in the same direction; of (0, 0) itself; NaNs of what is not
/// finite
BKS_API bks_vector bks_vector_normalise(bks_vector v);

/// @return v turned by `radians`; where the two products nearly cancel, the error is 2^-50 of the
///         larger one
BKS_API bks_vector bks_vector_rotate(bks_vector v, float radians);

/// @return the vector of this angle and length; a negative length points the other way
BKS_API bks_vector bks_vector_polar(float radians, float length);

/// @return the angle of v, -pi to pi, correctly rounded, as bks_atan2f(v.y, v.x)
BKS_API float bks_vector_angle(bks_vector v);

/// @return the same angle from -pi to pi, as floats have these; a NaN of an infinity
BKS_API float bks_angle_wrap(float radians);

/// @return by how much `from` must turn to become `to` on the shorter way, -pi to pi
BKS_API float bks_angle_between(float from, float to);

/// Turn towards an angle.
/// @param most_radians  how far at most, not negative
/// @return `from` turned towards `to` on the shorter way, -pi to pi; the angle of `to` when it is
///         near enough
BKS_API float bks_angle_turn(float from, float to, float most_radians);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_VECTOR_H
