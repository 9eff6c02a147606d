// SPDX-License-Identifier: MIT

/// @file state_store.h States that a playback stores by tick in a block of memory, so that it can
/// go back. When the block is full, states whose ticks are not multiples of the spacing are
/// dropped. If all ticks are multiples, the spacing is doubled first.

#ifndef BKSI_STATE_STORE_H
#define BKSI_STATE_STORE_H

#include "backstitch/base.h"

/// Most states in a store.
#define BKSI_STORE_STATES_MAX 4096u

typedef struct bksi_stored_state {
    bks_tick tick;
    size_t offset; ///< offset of the state in the store's block
    size_t bytes;
} bksi_stored_state;

typedef struct bksi_state_store {
    uint8_t *block; ///< memory for states; NULL: nothing is stored
    size_t block_bytes;
    size_t used_bytes; ///< bytes in use, from the start of the block
    /// Spacing of stored states in ticks. When the block is full, states of ticks that are not
    /// multiples of it are dropped.
    bks_tick spacing_ticks;
    size_t count;
    bksi_stored_state *states; ///< stored states, in order of their ticks
} bksi_state_store;

/// Create a store of states.
/// @param bytes         size of the block, 0: store nothing
/// @param tick_rate_hz  ticks a second; while there is room, stored states are at most a second and
///                      at most 64 ticks apart
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_state_store_create(bksi_state_store *store, size_t bytes, uint32_t tick_rate_hz,
                                   const bks_allocator *allocator);
void bksi_state_store_destroy(bksi_state_store *store, const bks_allocator *allocator);

/// Make room for a state of up to `bytes` at `tick`, dropping other states if needed. Call
/// bksi_state_store_added() next.
/// @return the room; NULL when the state cannot fit, or the tick's state is stored already
uint8_t *bksi_state_store_room(bksi_state_store *store, bks_tick tick, size_t bytes);

/// Note that the state of `tick`, of `bytes` bytes, was written into the room of
/// bksi_state_store_room().
void bksi_state_store_added(bksi_state_store *store, bks_tick tick, size_t bytes);

/// Find the newest stored state up to `tick`.
/// @return the state; NULL when there is none
const bksi_stored_state *bksi_state_store_find(const bksi_state_store *store, bks_tick tick);

#endif
