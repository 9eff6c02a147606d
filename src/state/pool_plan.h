// SPDX-License-Identifier: MIT

/// @file pool_plan.h
/// Where a pool's parts lie, and whether its header in a state says so.

#ifndef BKSI_POOL_PLAN_H
#define BKSI_POOL_PLAN_H

#include "state/arena_layout.h"

/// Header of a pool of `item_bytes` and `capacity`, both in range, all its sizes filled in.
bks_pool bksi_pool_planned(uint64_t item_bytes, uint32_t capacity);

/// Bytes from the pool's start to its end.
uint64_t bksi_pool_total_bytes(const bks_pool *pool);

/// Whether the calls on a pool can trust its header, whatever its slots and items hold: its parts
/// lie where they should, within `room_bytes` from its start, and its counts are not beyond them.
/// These calls keep that true.
bool bksi_pool_is_usable(const bks_pool *pool, uint64_t room_bytes);

#endif
