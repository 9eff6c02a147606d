// SPDX-License-Identifier: MIT

/// @file state_store.h
/// States that a playback keeps by tick in a block of memory, so that it can go back. When the
/// block is full every other one goes.

#ifndef BKSI_STATE_STORE_H
#define BKSI_STATE_STORE_H

#include "backstitch/base.h"

/// Most states kept.
#define BKSI_STORE_STATES_MAX 4096u

typedef struct bksi_stored_state {
    bks_tick tick;
    size_t offset; ///< in the block
    size_t bytes;
} bksi_stored_state;

typedef struct bksi_state_store {
    uint8_t *block; ///< NULL: nothing is kept
    size_t block_bytes;
    size_t used_bytes;      ///< of the block, from its start
    bks_tick spacing_ticks; ///< ticks that are a multiple of this are kept for long
    size_t count;
    bksi_stored_state *states; ///< by tick
} bksi_state_store;

/// @param bytes         of the block, 0: nothing is kept
/// @param tick_rate_hz  a game that plays in time steps a second of ticks in a second: states are
///                      kept no further apart, and no more than 64 ticks, while there is room
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_state_store_create(bksi_state_store *store, size_t bytes, uint32_t tick_rate_hz,
                                   const bks_allocator *allocator);
void bksi_state_store_destroy(bksi_state_store *store, const bks_allocator *allocator);

/// Room for a state of up to `bytes` at `tick`, to be followed by bksi_state_store_added(). Other
/// states may be dropped for it.
/// @return NULL when there cannot be any, or that tick is kept already
uint8_t *bksi_state_store_room(bksi_state_store *store, bks_tick tick, size_t bytes);

/// The state of `tick` is there now, with `bytes` bytes.
void bksi_state_store_added(bksi_state_store *store, bks_tick tick, size_t bytes);

/// The newest state of a tick up to `tick`.
/// @return NULL when there is none
const bksi_stored_state *bksi_state_store_find(const bksi_state_store *store, bks_tick tick);

#endif
