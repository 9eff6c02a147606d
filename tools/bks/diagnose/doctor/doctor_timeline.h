// SPDX-License-Identifier: MIT

/// @file doctor_timeline.h
/// Both recordings over the ticks that were compared: rollbacks, events, and where the hashes part.

#ifndef BKS_TOOL_DOCTOR_TIMELINE_H
#define BKS_TOOL_DOCTOR_TIMELINE_H

#include <stdio.h>

#include "diagnose/doctor/doctor_case.h"

/// Write them as a part of a page.
void doctor_timeline_write(FILE *out, const doctor_case *c);

#endif
