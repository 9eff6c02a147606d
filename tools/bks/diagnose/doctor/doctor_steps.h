// SPDX-License-Identifier: MIT

/// @file doctor_steps.h
/// The steps of an examination, cheapest first. Each adds its evidence to the case.

#ifndef BKS_TOOL_DOCTOR_STEPS_H
#define BKS_TOOL_DOCTOR_STEPS_H

#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_try.h"

/// Find out why they differ; errors go to stderr.
/// @param c  opened; receives evidence and verdict
/// @return TOOL_OK, whatever the verdict; TOOL_MISUSE, TOOL_DAMAGED
int doctor_examine(doctor_case *c);

/// The first line of an answer.
#define DOCTOR_ANSWER_MAGIC "bks-answer 1"

/// Most hashes of an answer.
enum { DOCTOR_ANSWER_HASHES_MAX = 128 };

/// Take answers as evidence, after the hashes were compared; errors go to stderr.
/// @param paths  files, NULL: none
/// @return TOOL_OK; TOOL_DAMAGED: one is no answer; TOOL_MISUSE: one is about another recording
int doctor_answer_take(doctor_case *c, const args_list *paths);

/// The recorded rollbacks against the straight run.
/// @return whether they are the cause, proven
bool doctor_proof_rollbacks(doctor_case *c, const doctor_play *straight);

/// The stretch under one change at a time.
/// @return whether one of them is the cause, proven
bool doctor_proof_variants(doctor_case *c, const doctor_play *straight);

/// One flipped bit of the agreed state.
/// @return whether that is it, proven
bool doctor_proof_flip(doctor_case *c, const doctor_play *straight);

#endif
