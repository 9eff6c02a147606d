// SPDX-License-Identifier: MIT

/// @file kept.h
/// Which tick's state lies in which snapshot slot, for who looks for the state of a tick that is
/// certain by now. Only what is saved and loaded is seen: what a rollback may have made wrong
/// counts as gone.

#ifndef BKSI_KEPT_H
#define BKSI_KEPT_H

#include "backstitch/session.h"

typedef struct bksi_kept {
    bks_tick ticks[BKS_SLOTS_MAX]; ///< by slot, BKS_TICK_NONE: nothing
} bksi_kept;

/// Nothing is kept.
void bksi_kept_clear(bksi_kept *kept);

/// The state of a tick was put into a slot.
void bksi_kept_saved(bksi_kept *kept, uint32_t slot, bks_tick tick);

/// The game was taken back to a slot: what was kept of later ticks was stepped with other inputs.
void bksi_kept_loaded(bksi_kept *kept, uint32_t slot, bks_tick tick);

/// The slot of the newest tick in from..until.
/// @return BKS_SLOTS_MAX when there is none
uint32_t bksi_kept_newest(const bksi_kept *kept, bks_tick from, bks_tick until);

#endif
