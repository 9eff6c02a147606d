// SPDX-License-Identifier: MIT

/// @file doctor_steps.h Steps of an examination by `bks doctor`, cheapest first. Each step adds its
/// evidence to the case.

#ifndef BKS_TOOL_DOCTOR_STEPS_H
#define BKS_TOOL_DOCTOR_STEPS_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Compare what both recordings hold, add it to the evidence, and find the first hash that differs.
/// Compare a single recording with this machine instead, by doctor_open_here(). For `bks replay
/// diff` load the game if anything differs. Errors go to stderr.
/// @return TOOL_OK, whether or not the recordings differ; TOOL_MISUSE or TOOL_DAMAGED on failure
int doctor_files_compare(doctor_case *c);

/// Add the comparison of notes to the evidence.
void doctor_files_note_notes(doctor_case *c);

/// Find the first tick, mark and value that differ, by what the recordings hold and by stepping
/// them without a change. Fill in the verdict, without a cause unless a header or an input is
/// proven to be it. Call doctor_files_compare() first.
/// @param straight  receives a play of side A, if one was needed; release with doctor_play_close()
void doctor_page(doctor_case *c, doctor_play *straight);

/// Find out why the two sides differ, by all steps of the examination; errors go to stderr.
/// @param c  a case whose recordings are open; receives evidence and verdict
/// @return TOOL_OK, whatever the verdict; TOOL_MISUSE or TOOL_DAMAGED on failure
int doctor_examine(doctor_case *c);

/// First line of an answer file, which `bks doctor --here` writes.
#define DOCTOR_ANSWER_MAGIC "bks-answer 1"

/// Maximum number of hashes in an answer file.
enum { DOCTOR_ANSWER_HASHES_MAX = 128 };

/// Read answer files of other machines and add them to the evidence. Call this after the hashes of
/// both sides are compared. Errors go to stderr.
/// @param paths  answer files, NULL: none
/// @return TOOL_OK; TOOL_DAMAGED if a file is no answer; TOOL_MISUSE if an answer is about another
///         recording
int doctor_answer_take(doctor_case *c, const args_list *paths);

/// Return true if each side's recording, stepped by a machine like its own, gives the hashes that
/// it holds, while builds, inputs and all that the recordings begin with are equal. Then the
/// machines differ. Call this after all changes were tried.
bool doctor_proof_answers(doctor_case *c, const doctor_play *straight);

/// Play the recordings with their rollbacks, and compare the hashes with those of the straight
/// play.
/// @return true if rollbacks are proven to be the cause
bool doctor_proof_rollbacks(doctor_case *c, const doctor_play *straight);

/// Step the ticks around the difference under one change at a time.
/// @return true if a cause is proven
bool doctor_proof_variants(doctor_case *c, const doctor_play *straight);

/// Search for a bit that, if flipped, turns one side's state into that of the other side.
/// @return true if a memory fault is proven
bool doctor_proof_flip(doctor_case *c, const doctor_play *straight);

#endif
