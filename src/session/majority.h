// SPDX-License-Identifier: MIT

/// @file majority.h
/// Which members have the same state, by what all of them say.

#ifndef BKSI_MAJORITY_H
#define BKSI_MAJORITY_H

#include "wire/meet_message.h"

uint32_t bksi_majority_count(uint32_t peers);

/// The largest group of members with one state at the tick; of groups of the same size the one with
/// the lowest member.
/// @param said     by peer; those of the members are statements
/// @param members  bits
/// @return bits
uint32_t bksi_majority_now(const bksi_meet_message *const *said, uint32_t members);
/// The same of those that did not differ before: neither says so.
uint32_t bksi_majority_before(const bksi_meet_message *const *said, uint32_t members);

#endif
