// SPDX-License-Identifier: MIT

/// @file pool.h
/// The pools of an arena.

#ifndef BKSI_POOL_H
#define BKSI_POOL_H

#include "state/arena_layout.h"

/// What is wrong with a pool whose bytes may be hostile: NULL when no call on it can touch a byte
/// outside `room_bytes` from its start.
/// @param out_offset  receives where, from the pool's start; written only when something is wrong
const char *bksi_pool_fault(const bks_pool *pool, uint64_t room_bytes, uint64_t *out_offset);

/// Write a byte over every item that is not live. The pool is sound.
/// @return items whose first byte was another
uint32_t bksi_pool_fill_free(bks_pool *pool, uint8_t byte);

/// Whether an address is the start of a live item of a sound pool.
bool bksi_pool_has_item(const bks_pool *pool, const void *item);

#endif
