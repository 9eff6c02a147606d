// SPDX-License-Identifier: MIT

/// @file doctor_control.h Controls of a proof by a change: runs that must not come to what the
/// change comes to. Without them a game that varies by itself, or that another change alters as
/// well, would prove anything.

#ifndef BKS_TOOL_DOCTOR_CONTROL_H
#define BKS_TOOL_DOCTOR_CONTROL_H

#include "diagnose/doctor/doctor_try.h"

/// Return true if a proof survives its controls: the changes of other causes, plain processes, and
/// the change itself once more. Add their results to the evidence.
/// @param found  change that turns one side's hashes into those of the other
/// @param cause  receives the cause
bool doctor_control_survived(doctor_case *c, const doctor_play *straight, const doctor_tries *all,
                             doctor_try *found, const char **cause);

/// Return true if a change of another cause alters the same value as a change, and does not explain
/// it.
bool doctor_control_is_shared(const doctor_tries *all, const doctor_try *t);

#endif
