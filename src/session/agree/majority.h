// SPDX-License-Identifier: MIT

/// @file majority.h
/// Which members have the same state, by what all of them say.

#ifndef BKSI_MAJORITY_H
#define BKSI_MAJORITY_H

#include "backstitch/session.h"
#include "wire/meet_message.h"

/// The largest group of members with one state at the tick; of groups of the same size the one with
/// the lowest member. A member that says its game refuses its state counts for none, unless all say
/// so: no other could take that state.
/// @param said     by peer; those of the members are statements
/// @param members  bits
/// @return bits
uint32_t bksi_majority_now(const bksi_meet_message *const *said, uint32_t members);
/// The members that are repaired, or have healed by themselves: all but the largest group of those
/// that have the state of the most and had the same states before.
uint32_t bksi_majority_repaired(const bksi_meet_message *const *said, uint32_t members);

/// Whether some of the members are more than the rest, or as many and the lowest is one of them.
bool bksi_majority_are_most(uint32_t some, uint32_t members);

/// How many say that somebody differs from them.
uint32_t bksi_majority_naming(const bksi_meet_message *const *said, uint32_t members);

/// Whether all stepped the same inputs.
bool bksi_majority_shares_inputs(const bksi_meet_message *const *said, uint32_t members);

/// A member says more than before. What it stated stays, however far it is: all decide by the same
/// words.
/// @param said   what it said so far
/// @param first  of the match
void bksi_majority_take(bksi_meet_message *said, const bksi_meet_message *next, bks_tick first);

#endif
