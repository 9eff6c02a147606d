// SPDX-License-Identifier: MIT

/// @file doctor_repairs.h
/// Spans that were wrong until a repair: what differed there is what is to be explained.

#ifndef BKS_TOOL_DOCTOR_REPAIRS_H
#define BKS_TOOL_DOCTOR_REPAIRS_H

#include "diagnose/doctor/doctor_case.h"

/// Write the repairs down, and where a hash in such a span differs before any other, take its tick
/// for the first that does.
void doctor_repairs_take(doctor_case *c);

#endif
