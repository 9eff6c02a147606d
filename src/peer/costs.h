// SPDX-License-Identifier: MIT

/// @file costs.h
/// Counts what updates cost, and what of it the game took.

#ifndef BKSI_COSTS_H
#define BKSI_COSTS_H

#include <stdint.h>

#include "backstitch/peer.h"

/// Add the duration of an update that stepped.
void bksi_costs_add_update(bks_costs *costs, uint64_t cost_ns);
/// Add the duration of a call of the game.
void bksi_costs_add_game(bks_costs *costs, uint64_t cost_ns);

#endif
