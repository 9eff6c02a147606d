// SPDX-License-Identifier: MIT

/// @file doctor_calls.h Finds out which functions of the system the steps of a recording call.

#ifndef BKS_TOOL_DOCTOR_CALLS_H
#define BKS_TOOL_DOCTOR_CALLS_H

#include "diagnose/doctor/doctor_play.h"

/// If no cause is proven, add the functions that the steps call and no step should to the evidence
/// and, after all other advice, to the advice.
void doctor_calls_note(doctor_case *c, const doctor_play *straight);

/// Find a source of which the steps read and which no change varies here, such as a file. It may
/// have told something else to the other side, whatever a change comes to.
/// @return why a change proves nothing, valid until the next call; NULL: there is no such source
const char *doctor_calls_objection(doctor_case *c, const doctor_play *straight);

#endif
