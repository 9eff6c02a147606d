// SPDX-License-Identifier: MIT

/// @file doctor_around.h
/// The states of both sides at the ticks around the difference: the proof is made once more, and
/// keeps them.

#ifndef BKS_TOOL_DOCTOR_AROUND_H
#define BKS_TOOL_DOCTOR_AROUND_H

#include "diagnose/doctor/doctor_try.h"

/// Collect them; of a side that nothing here comes to, those that are recorded at marks.
/// @param c    examined
/// @param out  of A and of B; release each with doctor_states_free()
void doctor_around_collect(doctor_case *c, doctor_states out[2]);

#endif
