// SPDX-License-Identifier: MIT

/// @file costs.h
/// Counts what updates cost, and what of it the game took.

#ifndef BKSI_COSTS_H
#define BKSI_COSTS_H

#include <stdint.h>

#include "backstitch/toolkit/peer.h"

/// Whether ticks are being stepped again. Start from {0}.
typedef struct bksi_again {
    bool is_again;
    bks_tick end; ///< one past the newest tick that was stepped
} bksi_again;

/// Add the duration of an update that stepped.
void bksi_costs_add_update(bks_costs *costs, uint64_t cost_ns);
/// Add the duration of a call of the game.
void bksi_costs_add_game(bks_costs *costs, uint64_t cost_ns);
/// Add the duration of an operation, if it belongs to going back and stepping again.
void bksi_costs_add_op(bks_costs *costs, bksi_again *again, const bks_op *op, uint64_t cost_ns);

#endif
