// SPDX-License-Identifier: MIT

/// @file oracle_rate.h
/// At which rate a match can be played: over perfect links, and over those that it has.

#ifndef BKSI_ORACLE_RATE_H
#define BKSI_ORACLE_RATE_H

#include "lab/oracle_internal.h"

/// Whether a peer cannot keep the rate over perfect links: with a fixed delay and window that are
/// shorter than what inputs take. Then all wait for it.
/// @param playing  bits of the peers that play
bool bksi_oracle_is_tight(const bks_lab *lab, const bks_lab_expectation *expected, uint32_t index,
                          uint32_t playing);

/// Whether nothing but links that carry it is wrong with a match.
bool bksi_oracle_is_calm(const bks_lab *lab);

/// A match without faults is played at its rate, whatever its links are, as far as they can carry
/// it.
void bksi_oracle_judge_rate(const bks_lab *lab, const bks_lab_result *result,
                            bks_oracle_verdict *verdict);

#endif
