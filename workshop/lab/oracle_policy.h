// SPDX-License-Identifier: MIT

/// @file oracle_policy.h
/// What tuning.on_desync makes of a match whose states differ.

#ifndef BKSI_ORACLE_POLICY_H
#define BKSI_ORACLE_POLICY_H

#include "lab/oracle_internal.h"

/// A match does on a desync what its policy says, and nothing without one. In matches in which a
/// member forges nothing is said of it: it may end them, and have states repaired.
void bksi_oracle_judge_policy(const bks_lab *lab, const bks_lab_result *result,
                              bks_oracle_verdict *verdict);

/// The last tick up to which a peer must have the states of the reference, as far as flips and
/// repairs go: one that neither flipped nor was given another's state must have all.
/// @param until  the last tick that counts for all
bks_tick bksi_oracle_sound_until(const bks_lab *lab, uint32_t index, bks_tick until);

#endif
