// SPDX-License-Identifier: MIT

/// @file machine.h
/// What of this machine and process may make the same game step differently, as names and values.
/// Nothing of it names a user, a path, an address or a host.

#ifndef BKSI_MACHINE_H
#define BKSI_MACHINE_H

#include "backstitch/record.h"

#define BKSI_MACHINE_PAIRS_MAX 8u ///< of each kind

/// What stays as it is. May allocate.
/// @param out  receives BKSI_MACHINE_PAIRS_MAX pairs at most
/// @return how many
uint32_t bksi_machine_describe(bks_replay_pair *out);
/// What may change while a match runs, as the calling thread has it.
uint32_t bksi_machine_describe_now(bks_replay_pair *out);

#endif
