// SPDX-License-Identifier: MIT

/// @file doctor_examine.h
/// From two recordings to a verdict.

#ifndef BKS_TOOL_DOCTOR_EXAMINE_H
#define BKS_TOOL_DOCTOR_EXAMINE_H

#include "diagnose/doctor/doctor_case.h"

/// Find out why they differ; errors go to stderr.
/// @param c  opened; receives evidence and verdict
/// @return TOOL_OK, whatever the verdict; TOOL_MISUSE, TOOL_DAMAGED
int doctor_examine(doctor_case *c);

#endif
