// SPDX-License-Identifier: MIT

/// @file doctor_set.h
/// What no process comes to again by itself, such as an address or a random number: the one thing
/// that a change varies is set to a value of our choice, until the state is exactly that of A, and
/// with another value exactly that of B.

#ifndef BKS_TOOL_DOCTOR_SET_H
#define BKS_TOOL_DOCTOR_SET_H

#include "diagnose/doctor/doctor_try.h"

/// Prove what is suspected. Completes the verdict but for its place.
/// @param suspected  by doctor_marks_suspect()
/// @return whether it is the cause, proven
bool doctor_set_prove(doctor_case *c, const doctor_play *straight, const doctor_try *suspected);

#endif
