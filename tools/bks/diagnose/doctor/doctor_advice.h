// SPDX-License-Identifier: MIT

/// @file doctor_advice.h
/// What to do next.

#ifndef BKS_TOOL_DOCTOR_ADVICE_H
#define BKS_TOOL_DOCTOR_ADVICE_H

#include "diagnose/doctor/doctor_case.h"

/// What to look for, by what proved a cause.
/// @return a text that lives as long as the case
const char *doctor_advice_proven(doctor_case *c, const char *cause,
                                 const doctor_way_of_proof *proof);

/// What may show a cause that nothing proves, of what was not given.
/// @return a text that lives as long as the case
const char *doctor_advice_open(doctor_case *c);

/// What the recordings lack that might show more: for --keep.
/// @return NULL: nothing
const char *doctor_advice_not_kept(const doctor_case *c);

#endif
