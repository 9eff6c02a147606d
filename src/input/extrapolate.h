// SPDX-License-Identifier: MIT

/// @file extrapolate.h
/// Guessing an axis or a stick from how it moved: the predictors `linear` and `spline`. Integers
/// alone, so a match in the lab comes out the same on every machine.

#ifndef BKSI_EXTRAPOLATE_H
#define BKSI_EXTRAPOLATE_H

#include "backstitch/game.h"

/// Most confirmed samples that are looked at: `linear` takes the newest 2, `spline` the newest 4.
#define BKSI_SAMPLES_MAX 4

/// Guess the value of one axis, or the two of a pair, some ticks after its newest sample. What
/// rests stays at rest: when the newest two samples are equal they are repeated, and so is a single
/// one. The guess is within the field's range, and of full deflection at most (of a pair: on the
/// circle), or of the newest sample's length where that is longer.
/// @param fields   of kind AXIS, or the first of two: STICK_X, STICK_Y or ANGLE, MAGNITUDE
/// @param samples  newest first, `count` (1..BKSI_SAMPLES_MAX) of one or two values each
/// @param steps    ticks after the newest sample, 1..1000
/// @param guess    receives one or two values
void bksi_extrapolate(const bks_field *fields, const int32_t (*samples)[2], uint32_t count,
                      uint32_t steps, int32_t guess[2]);

#endif
