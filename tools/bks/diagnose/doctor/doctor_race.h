// SPDX-License-Identifier: MIT

/// @file doctor_race.h Proof that a race of threads is the cause: the same step with the same
/// inputs comes to several results here, at the value in which the sides differ, and to one if
/// threads run one after another.

#ifndef BKS_TOOL_DOCTOR_RACE_H
#define BKS_TOOL_DOCTOR_RACE_H

#include "diagnose/doctor/doctor_try.h"

/// Look for a race among the changes that were tried, and try its controls. Complete the verdict.
/// @return true if a race is proven
bool doctor_race_prove(doctor_case *c, const doctor_play *straight, const doctor_tries *all);

/// Return true if the game makes threads, and a change that makes a difference makes none with
/// these one after another. Then a race of theirs may have made it.
bool doctor_race_explains(const doctor_case *c, const doctor_play *straight, const doctor_try *t);

/// If the game makes threads and no cause is proven, suspect the threads: what they write while no
/// step waits for them shows in some runs only.
void doctor_race_suspect(doctor_case *c, const doctor_play *straight);

#endif
