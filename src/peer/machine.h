// SPDX-License-Identifier: MIT

/// @file machine.h
/// Properties of this machine and process that may make the same game step differently, as names
/// and values. None of them identifies a user, a path, an address or a host.

#ifndef BKSI_MACHINE_H
#define BKSI_MACHINE_H

#include "backstitch/record.h"

#define BKSI_MACHINE_PAIRS_MAX 8u ///< maximum number of pairs that each function gives

/// Describe the properties that stay constant during a match. May allocate.
/// @param out  receives BKSI_MACHINE_PAIRS_MAX pairs at most
/// @return number of pairs
uint32_t bksi_machine_describe(bks_replay_pair *out);
/// Describe the properties that may change during a match, as the calling thread has them.
uint32_t bksi_machine_describe_now(bks_replay_pair *out);

#endif
