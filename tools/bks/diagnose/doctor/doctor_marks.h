// SPDX-License-Identifier: MIT

/// @file doctor_marks.h
/// What the states that both sides recorded at marks say of a cause, for values that no run comes
/// to again, such as addresses. It is no proof: none of the processes here comes to both hashes.

#ifndef BKS_TOOL_DOCTOR_MARKS_H
#define BKS_TOOL_DOCTOR_MARKS_H

#include "diagnose/doctor/doctor_try.h"

/// Of changes that were tried, find the one that is suspected: both recordings and this machine are
/// the same but for one value, and of all changes that one alone gives it another, at this mark
/// first. Says so.
/// @param items  `count` of them
/// @return the change, NULL: there is none, or several
doctor_try *doctor_marks_suspect(doctor_case *c, const doctor_play *straight, doctor_try *items,
                                 uint32_t count);

#endif
