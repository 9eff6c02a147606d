// SPDX-License-Identifier: MIT

/// @file doctor_steps.h
/// Steps of an examination, cheapest first. Each adds its evidence to the case.

#ifndef BKS_TOOL_DOCTOR_STEPS_H
#define BKS_TOOL_DOCTOR_STEPS_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Find out why the two sides differ, by all steps; errors go to stderr.
/// @param c  opened; receives evidence and verdict
/// @return TOOL_OK, whatever the verdict; TOOL_MISUSE, TOOL_DAMAGED
int doctor_examine(doctor_case *c);

/// First line of an answer.
#define DOCTOR_ANSWER_MAGIC "bks-answer 1"

/// Maximum number of hashes in an answer.
enum { DOCTOR_ANSWER_HASHES_MAX = 128 };

/// Read answers of other machines as evidence. Compare the hashes first. Errors go to stderr.
/// @param paths  files, NULL: none
/// @return TOOL_OK; TOOL_DAMAGED: one is no answer; TOOL_MISUSE: one is about another recording
int doctor_answer_take(doctor_case *c, const args_list *paths);

/// Play the recordings with their rollbacks and compare the hashes with the straight run.
/// @return true if this proves that rollbacks are the cause
bool doctor_proof_rollbacks(doctor_case *c, const doctor_play *straight);

/// Step the ticks around the difference under one change at a time.
/// @return true if this proves a cause
bool doctor_proof_variants(doctor_case *c, const doctor_play *straight);

/// Search for one flipped bit that turns one side's state into the other's.
/// @return true if this proves a memory fault
bool doctor_proof_flip(doctor_case *c, const doctor_play *straight);

#endif
