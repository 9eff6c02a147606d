// SPDX-License-Identifier: MIT

/// @file pool.h
/// Checks of an arena's pools.

#ifndef BKSI_POOL_H
#define BKSI_POOL_H

#include "state/arena_layout.h"

/// Find what is wrong with a pool whose bytes may be hostile. Return NULL if no pool function can
/// touch a byte outside `room_bytes` from the pool's start.
/// @param out_offset  receives the offset of the fault from the pool's start; unchanged if there is
///                    none
const char *bksi_pool_fault(const bks_pool *pool, uint64_t room_bytes, uint64_t *out_offset);

/// Fill every item that is not live with a byte. The pool must be valid.
/// @return number of items whose first byte was different
uint32_t bksi_pool_fill_free(bks_pool *pool, uint8_t byte);

/// Return true if an address is the start of a live item of a valid pool.
bool bksi_pool_has_item(const bks_pool *pool, const void *item);

#endif
