// SPDX-License-Identifier: MIT

/// @file doctor_calls.h Finds out which functions of the system the steps of a recording call.

#ifndef BKS_TOOL_DOCTOR_CALLS_H
#define BKS_TOOL_DOCTOR_CALLS_H

#include "diagnose/doctor/doctor_play.h"

/// If no cause is proven, add the functions that the steps call and no step should to the evidence
/// and, after all other advice, to the advice.
void doctor_calls_note(doctor_case *c, const doctor_play *straight);

/// Find out whether another cause is as likely as a change that comes to a side's hashes: a source
/// that init or a step asks, such as a file, may have told the other side something else; or each
/// side's own machine has come to its own hashes, so the machines differ. The causes environment
/// and build stand beside both.
/// @param cause  cause of the change
/// @return why a change proves nothing, valid until the next call; NULL: there is no such source
const char *doctor_calls_objection(doctor_case *c, const doctor_play *straight, const char *cause);

#endif
