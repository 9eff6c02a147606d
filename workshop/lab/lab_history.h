// SPDX-License-Identifier: MIT

/// @file lab_history.h
/// Copies of the newest states of all peers, to name differences. All memory is allocated at
/// create. A copy is overwritten once its peer has made the states of as many later ticks as there
/// are slots.

#ifndef BKSI_LAB_HISTORY_H
#define BKSI_LAB_HISTORY_H

#include "backstitch/toolkit/lab.h"
#include "game/runner.h"

typedef struct bksi_lab_history bksi_lab_history;

/// State at the start of a tick.
typedef struct bksi_lab_past {
    const uint8_t *bytes; ///< bytes of the state, as bksi_runner_export() gives them
    size_t count;
    /// Inputs of all players that led to the state. NULL: it is the first state of the match.
    const int32_t *inputs;
} bksi_lab_past;

/// Create a history, with room for as many states of each peer as naming can need, or as
/// config.history_bytes allow.
/// @param state_bytes  size of the largest state
/// @param out          receives the history; NULL if there is no room for two states of each peer
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_history_create(const bks_lab_config *config, size_t state_bytes,
                                   uint32_t players, bksi_lab_history **out);
void bksi_lab_history_destroy(bksi_lab_history *history);

/// Return true if each state is retained as long as its peer may roll back to it.
bool bksi_lab_history_outlasts_windows(const bksi_lab_history *history);

/// Copy a peer's present state, replacing an earlier copy of the same tick, or the oldest copy.
/// @param inputs  inputs of all players that led to the state; NULL: none
void bksi_lab_history_keep(bksi_lab_history *history, uint32_t peer, bks_tick tick,
                           bksi_runner *runner, const int32_t *inputs);

/// Find the copy of a peer's state of a tick.
/// @return false: no copy of that state is retained
bool bksi_lab_history_find(const bksi_lab_history *history, uint32_t peer, bks_tick tick,
                           bksi_lab_past *out);

#endif
