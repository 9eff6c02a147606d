// SPDX-License-Identifier: MIT

/// @file doctor_kept.h
/// What the recordings themselves hold of the desync: bytes that both machines had, and a log.

#ifndef BKS_TOOL_DOCTOR_KEPT_H
#define BKS_TOOL_DOCTOR_KEPT_H

#include "doctor/doctor_case.h"

/// Write it down as evidence.
void doctor_kept_note(doctor_case *c);

#endif
