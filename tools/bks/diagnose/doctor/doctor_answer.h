// SPDX-License-Identifier: MIT

/// @file doctor_answer.h
/// Answers of other machines (docs/spec/doctor-answer.md) as evidence.

#ifndef BKS_TOOL_DOCTOR_ANSWER_H
#define BKS_TOOL_DOCTOR_ANSWER_H

#include "diagnose/doctor/doctor_case.h"

/// The first line of an answer.
#define DOCTOR_ANSWER_MAGIC "bks-answer 1"

/// Most hashes of an answer.
enum { DOCTOR_ANSWER_HASHES_MAX = 128 };

/// Take answers as evidence, after the hashes were compared; errors go to stderr.
/// @param paths  files, NULL: none
/// @return TOOL_OK; TOOL_DAMAGED: one is no answer; TOOL_MISUSE: one is about another recording
int doctor_answer_take(doctor_case *c, const args_list *paths);

#endif
