// SPDX-License-Identifier: MIT

/// @file doctor_proof.h
/// Why the hashes differ though the inputs are the same: the steps from the machine's own answer to
/// the change that turns one side's hash into the other's. Each completes the verdict.

#ifndef BKS_TOOL_DOCTOR_PROOF_H
#define BKS_TOOL_DOCTOR_PROOF_H

#include "diagnose/doctor/doctor_try.h"

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
