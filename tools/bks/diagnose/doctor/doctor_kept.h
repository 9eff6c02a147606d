// SPDX-License-Identifier: MIT

/// @file doctor_kept.h
/// What recordings kept of a desync while it happened: the states of both sides.

#ifndef BKS_TOOL_DOCTOR_KEPT_H
#define BKS_TOOL_DOCTOR_KEPT_H

#include "diagnose/doctor/doctor_case.h"

/// Say where the kept states of the two sides differ, at the first tick whose hashes do.
void doctor_kept_place(doctor_case *c);

/// Write down what was kept, as evidence.
void doctor_kept_note(doctor_case *c);

#endif
