// SPDX-License-Identifier: MIT

/// @file doctor_here.h
/// What this machine comes to with a recording, as an answer for doctors elsewhere
/// (docs/spec/doctor-answer.md).

#ifndef BKS_TOOL_DOCTOR_HERE_H
#define BKS_TOOL_DOCTOR_HERE_H

#include "diagnose/doctor/doctor_case.h"

/// Step the recording of side A and write the answer to stdout; errors go to stderr.
/// @param c  opened
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int doctor_here_write(doctor_case *c);

#endif
