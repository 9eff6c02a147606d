// SPDX-License-Identifier: MIT

/// @file extrapolate.h
/// Prediction of an axis or stick from its movement: the predictors `linear` and `spline`. It uses
/// integers only, so a match in the lab gives the same result on every machine.

#ifndef BKSI_EXTRAPOLATE_H
#define BKSI_EXTRAPOLATE_H

#include "backstitch/game.h"

/// Most confirmed samples used: `linear` takes the newest 2, `spline` the newest 4.
#define BKSI_SAMPLES_MAX 4

/// Guess the value of one axis, or the two values of a pair, some ticks after the newest sample. If
/// the newest two samples are equal, or there is only one, the guess repeats the newest one. A
/// guess is within the field's range. Its deflection is at most the full one (for a pair: on the
/// circle), or that of the newest sample if the newest sample exceeds the full deflection.
/// @param fields   of kind AXIS, or the first of two: STICK_X, STICK_Y or ANGLE, MAGNITUDE
/// @param samples  newest first, `count` (1..BKSI_SAMPLES_MAX) of one or two values each
/// @param steps    ticks after the newest sample, 1..1000
/// @param guess    receives one or two values
void bksi_extrapolate(const bks_field *fields, const int32_t (*samples)[2], uint32_t count,
                      uint32_t steps, int32_t guess[2]);

#endif
