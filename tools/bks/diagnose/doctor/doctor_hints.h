// SPDX-License-Identifier: MIT

/// @file doctor_hints.h Hints of `bks doctor` where no cause is proven: what valgrind sees.

#ifndef BKS_TOOL_DOCTOR_HINTS_H
#define BKS_TOOL_DOCTOR_HINTS_H

#include "diagnose/doctor/doctor_play.h"

/// If no cause is proven and pointers or unset memory are suspected, add what valgrind sees to the
/// evidence, the suspects and the advice.
void doctor_hints_memory(doctor_case *c, const doctor_play *straight);

#endif
