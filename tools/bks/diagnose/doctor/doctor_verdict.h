// SPDX-License-Identifier: MIT

/// @file doctor_verdict.h
/// Functions that fill in a verdict.

#ifndef BKS_TOOL_DOCTOR_VERDICT_H
#define BKS_TOOL_DOCTOR_VERDICT_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Enter the first value that differs between two states.
/// @param a, b  states of side A and of side B
/// @return false if nothing differs
bool doctor_verdict_place(doctor_case *c, bks_tick tick, const char *mark,
                          const bks_compared_state *a, const bks_compared_state *b);

/// Enter the first difference of recorded marks.
void doctor_verdict_marks(doctor_case *c, const replay_diff_marks *marks);

/// Enter the first difference between two plays: at a mark of the last step that agrees, or else at
/// the start of the first tick that differs.
/// @return false if no known states differ
bool doctor_verdict_plays(doctor_case *c, const doctor_play *a, const doctor_play *b);

/// Enter the first difference that a change made, and its source line.
void doctor_verdict_found(doctor_case *c, const doctor_try *t);

/// Enter the source line of the difference that a change made, or why it is not known.
void doctor_verdict_line(doctor_case *c, const doctor_try *t);

/// Enter a cause and its proof.
void doctor_verdict_prove(doctor_case *c, const char *cause, const doctor_proof *proof);

/// Enter that no cause is proven.
void doctor_verdict_leave_open(doctor_case *c);

/// Return advice for a proven cause.
/// @return a text that lives as long as the case
const char *doctor_advice_proven(doctor_case *c, const char *cause, const doctor_proof *proof);

/// Return advice on how to learn the cause if none is proven.
/// @return a text that lives as long as the case
const char *doctor_advice_open(doctor_case *c);

/// Return what the recordings lack that might show the cause, as a value of --keep; NULL: nothing.
const char *doctor_advice_not_kept(const doctor_case *c);

#endif
