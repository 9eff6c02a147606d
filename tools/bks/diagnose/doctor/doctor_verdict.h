// SPDX-License-Identifier: MIT

/// @file doctor_verdict.h Functions that fill in the verdict of `bks doctor`.

#ifndef BKS_TOOL_DOCTOR_VERDICT_H
#define BKS_TOOL_DOCTOR_VERDICT_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Write into the verdict the first value that differs between two states.
/// @param a, b  states of side A and of side B
/// @return false if nothing differs
bool doctor_verdict_place(doctor_case *c, bks_tick tick, const char *mark,
                          const bks_compared_state *a, const bks_compared_state *b);

/// Write into the verdict the tick and the mark at which the value that it names first differs.
void doctor_verdict_at_mark(doctor_case *c, bks_tick tick, const char *mark);

/// Write into the verdict the first difference between the recorded states at marks.
void doctor_verdict_marks(doctor_case *c, const replay_diff_marks *marks);

/// Write into the verdict the first difference between two plays: at a mark of the last tick whose
/// hashes agree, or else at the start of the first tick whose hashes differ.
/// @return false if the plays hold no states that differ
bool doctor_verdict_plays(doctor_case *c, const doctor_play *a, const doctor_play *b);

/// Write into the verdict the first difference that a change made, and its source line.
void doctor_verdict_found(doctor_case *c, const doctor_try *t);

/// Write into the verdict the source line of the difference that a change made, or why that line is
/// not known.
void doctor_verdict_line(doctor_case *c, const doctor_try *t);

/// Add possible causes to a verdict, and what suggests them.
void doctor_verdict_suspect(doctor_case *c, const char *format, ...) BKS_PRINTF(2, 3);

/// Give a verdict without a source line the reason, unless it has one. No line writes a bit that
/// flipped once.
void doctor_verdict_why_no_line(doctor_case *c);

/// Write a cause and its proof into the verdict.
void doctor_verdict_prove(doctor_case *c, const char *cause, const doctor_proof *proof);

/// Write into the verdict that no cause is proven, or for `bks replay diff` that none is sought.
void doctor_verdict_leave_open(doctor_case *c);

/// Return advice for a proven cause.
/// @return a text that is valid as long as the case
const char *doctor_advice_proven(doctor_case *c, const char *cause, const doctor_proof *proof);

/// If of all changes only those of the machine make a difference, advise to ask both machines,
/// unless they have answered or something else must be mended first.
void doctor_advise_machines(doctor_case *c);

/// Return advice on how to find the cause if none is proven.
/// @return a text that is valid as long as the case
const char *doctor_advice_open(doctor_case *c);

/// Complete the advice of a verdict without a proven cause, once all that is tried here was tried:
/// ask a side's own machine where nothing here gives the side's hashes.
void doctor_advice_complete(doctor_case *c);

/// Return advice for `bks replay diff` if a hash differs and no cause is proven.
/// @return a text that is valid as long as the case
const char *doctor_advice_diff(doctor_case *c);

/// Return the detail that the recordings lack and that might show the cause, as a value of --keep.
/// NULL if the recordings hold all such details.
const char *doctor_advice_not_kept(const doctor_case *c);

#endif
