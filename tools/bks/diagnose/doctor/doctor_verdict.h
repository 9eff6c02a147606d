// SPDX-License-Identifier: MIT

/// @file doctor_verdict.h
/// Filling in a verdict.

#ifndef BKS_TOOL_DOCTOR_VERDICT_H
#define BKS_TOOL_DOCTOR_VERDICT_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Say where two states differ.
/// @param a, b  of side A and of side B
/// @return false: they do not
bool doctor_verdict_place(doctor_case *c, bks_tick tick, const char *mark,
                          const bks_compared_state *a, const bks_compared_state *b);

/// Say where recorded marks differ.
void doctor_verdict_marks(doctor_case *c, const replay_diff_marks *marks);

/// Say where the states of two plays differ: at the first mark of the last step, or at the first
/// tick that differs.
/// @return false: they do not, or no states are known
bool doctor_verdict_plays(doctor_case *c, const doctor_play *a, const doctor_play *b);

/// Say where a change made a difference, and in which line.
void doctor_verdict_found(doctor_case *c, const doctor_try *t);

/// Say in which line a change made it, or why that is not known.
void doctor_verdict_line(doctor_case *c, const doctor_try *t);

/// Say why, with what proves it.
void doctor_verdict_prove(doctor_case *c, const char *cause, const doctor_way_of_proof *proof);

/// Say that nothing proves a cause.
void doctor_verdict_leave_open(doctor_case *c);

/// What to look for, by what proved a cause.
/// @return a text that lives as long as the case
const char *doctor_advice_proven(doctor_case *c, const char *cause,
                                 const doctor_way_of_proof *proof);

/// What may show a cause that nothing proves, of what was not given.
/// @return a text that lives as long as the case
const char *doctor_advice_open(doctor_case *c);

/// What the recordings lack that might show more: for --keep.
/// @return NULL: nothing
const char *doctor_advice_not_kept(const doctor_case *c);

#endif
