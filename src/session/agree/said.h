// SPDX-License-Identifier: MIT

/// @file said.h
/// How far the members of a meeting are, by what they said last.

#ifndef BKSI_SAID_H
#define BKSI_SAID_H

#include "wire/meet_message.h"

/// How far a peer is has a number: its stage plus 1; 0 is nothing.
uint32_t bksi_said_number(const bksi_meet_message *said);

/// Whether its state is that of the most.
bool bksi_said_has_it(const bksi_meet_message *said);

/// Whether all members are at this stage or further.
/// @param said     by peer
/// @param members  bits
bool bksi_said_are_at(const bksi_meet_message *const *said, uint32_t members,
                      bksi_meet_stage stage);

/// Whether all say that they have the same state now.
bool bksi_said_agree(const bksi_meet_message *const *said, uint32_t members);

/// Whether one of them has given up.
bool bksi_said_has_failed(const bksi_meet_message *const *said, uint32_t members);

#endif
