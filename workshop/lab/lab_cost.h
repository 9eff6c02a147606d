// SPDX-License-Identifier: MIT

/// @file lab_cost.h
/// What operations cost the lab's peers.

#ifndef BKSI_LAB_COST_H
#define BKSI_LAB_COST_H

#include "lab/lab_internal.h"

/// What an operation costs, by a model and not by a clock, so that a seed stays a seed. `context`
/// is the lab_peer.
uint64_t bksi_lab_op_cost(void *context, bks_op_kind kind, size_t state_bytes);

/// An update has ended: keep its peer busy for its duration.
void bksi_lab_end_work(lab_peer *peer);

#endif
