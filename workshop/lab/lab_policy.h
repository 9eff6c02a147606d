// SPDX-License-Identifier: MIT

/// @file lab_policy.h
/// Whether the host does what its policy says once states differ.

#ifndef BKSI_LAB_POLICY_H
#define BKSI_LAB_POLICY_H

#include "lab/lab_internal.h"

/// After an update of a peer: a host that reported a difference must have stopped the match, or
/// have all meet, as tuning.on_desync says.
void bksi_lab_policy_watch(bks_lab *lab, uint32_t index);

/// A peer says where the match ends before its time.
void bksi_lab_policy_watch_stop(bks_lab *lab, uint32_t index, const bks_event *event);

#endif
