// SPDX-License-Identifier: MIT

/// @file repairable.h
/// Whether states of a game can be put right with another peer's bytes (BKS_ON_DESYNC_RESYNC).

#ifndef BKSI_REPAIRABLE_H
#define BKSI_REPAIRABLE_H

#include "game/runner.h"

/// Try it on the state that `init` made. A game with `save` and `load` is saved, loaded and saved
/// again, so the state is not to be stepped before the next bksi_runner_restart().
/// @param keep_ticks  how many ticks' states are kept
/// @return BKS_OK; BKS_ERR_BAD_CONFIG: they cannot, and why; BKS_ERR_OUT_OF_MEMORY
bks_status bksi_repairable_check(bksi_runner *runner, uint32_t keep_ticks,
                                 const bks_allocator *allocator, bks_error *error);

#endif
