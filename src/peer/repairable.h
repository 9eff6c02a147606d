// SPDX-License-Identifier: MIT

/// @file repairable.h
/// Check that states of a game can be repaired with another peer's bytes (BKS_ON_DESYNC_RESYNC).

#ifndef BKSI_REPAIRABLE_H
#define BKSI_REPAIRABLE_H

#include "game/runner.h"

/// Check that the state that `init` made can be repaired. A game with `save` and `load` is saved,
/// loaded and saved again, so its state must not be stepped before the next bksi_runner_restart().
/// @param keep_ticks  number of ticks whose states are kept
/// @return BKS_OK; BKS_ERR_BAD_CONFIG (states cannot be repaired; error names the reason);
///         BKS_ERR_OUT_OF_MEMORY
bks_status bksi_repairable_check(bksi_runner *runner, uint32_t keep_ticks,
                                 const bks_allocator *allocator, bks_error *error);

#endif
