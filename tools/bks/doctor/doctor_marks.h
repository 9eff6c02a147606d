// SPDX-License-Identifier: MIT

/// @file doctor_marks.h
/// A cause by the states that both sides recorded at marks, for values that no run comes to again,
/// such as addresses.

#ifndef BKS_TOOL_DOCTOR_MARKS_H
#define BKS_TOOL_DOCTOR_MARKS_H

#include "doctor/doctor_try.h"

/// Of changes that were tried, find the one whose value it is: both recordings and this machine are
/// the same but for one value, and of all changes that one alone gives it another, at this mark
/// first.
/// @param items  `count` of them
/// @return the change, NULL: there is none, or several
doctor_try *doctor_marks_cause(doctor_case *c, const doctor_play *straight, doctor_try *items,
                               uint32_t count);

#endif
