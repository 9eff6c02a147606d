// SPDX-License-Identifier: MIT

/// @file config.h
/// What a rollback engine is made for. Its parts take their memory by it.

#ifndef BKSI_ROLLBACK_CONFIG_H
#define BKSI_ROLLBACK_CONFIG_H

#include "backstitch/session.h"
#include "input/layout.h"

typedef struct bksi_rollback_config {
    const bksi_layout *layout; ///< must outlive the engine
    uint32_t players_max;      ///< room for this many
    uint32_t capacity_ticks;   ///< inputs and hashes kept, a power of two
    uint32_t window_ticks;     ///< steps ahead of what is confirmed; 0 is lockstep
    bks_save_policy save;
    uint32_t keep_ticks;    ///< hashed ticks whose states are kept until all agree; 0: none
    bool custom_prediction; ///< guesses are asked for by PREDICT
    const void *votes;      ///< see bksi_prediction_create(); not kept
    size_t votes_bytes;
    bks_allocator allocator;
} bksi_rollback_config;

#endif
