// SPDX-License-Identifier: MIT

/// @file progress.h
/// Progress of the game: the tick of its state, the present, and what must be done with the state
/// before it continues.

#ifndef BKSI_PROGRESS_H
#define BKSI_PROGRESS_H

#include "rollback/settled.h"
#include "rollback/slots.h"

typedef struct bksi_rollback_counts {
    uint64_t rollbacks;
    uint64_t depth_sum; ///< ticks from the wrong tick to the present, summed over all rollbacks
    uint32_t depth_max;
    uint64_t resimulated;
    uint64_t early_ends;      ///< resimulations that ended early because states were equal again
    uint64_t early_end_ticks; ///< ticks that were not stepped again thanks to early ends
} bksi_rollback_counts;

typedef struct bksi_progress {
    bks_tick at;     ///< current tick: the state is that at its start
    bks_tick front;  ///< the present: one past the newest tick stepped
    bks_tick spoilt; ///< first tick whose state came from a failed operation, BKS_TICK_NONE: none
    /// Tick at or before which the newest snapshot must be loaded; BKS_TICK_NONE: load none.
    bks_tick load_until;
    bks_tick restore; ///< tick whose kept state must be restored first; BKS_TICK_NONE: restore none
    bool is_resimulating; ///< true from loading a state until the next new tick is stepped
    bool wants_hash;      ///< the current state must be hashed
    bool wants_save;      ///< the current state is to be saved if the save policy says so
    bksi_rollback_counts counts;
} bksi_progress;

/// Set the first tick of the match, 0 by default.
void bksi_progress_begin(bksi_progress *progress, bks_tick first);
/// Start the match with the state of the first tick.
void bksi_progress_start(bksi_progress *progress);

/// Go back to before a tick, because the steps from that tick on are wrong.
void bksi_progress_go_back(bksi_progress *progress, bks_tick wrong);
/// Load the newest snapshot at or before a tick.
void bksi_progress_load(bksi_progress *progress, bks_tick until);

/// Request that the game continues from the kept state of a tick, which a repair has changed,
/// before anything else happens; BKS_TICK_NONE cancels the request.
void bksi_progress_want_restored(bksi_progress *progress, bks_tick tick);
/// Note that the kept state was restored, or could not be.
void bksi_progress_restored(bksi_progress *progress, bool is_there);

/// Note that the state was stepped, or that its tick passed without the game.
/// @return true if the tick was new
bool bksi_progress_stepped(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled);
/// Note that the snapshot of a tick was loaded. If it is not spoilt, no state counts as spoilt any
/// more.
void bksi_progress_loaded(bksi_progress *progress, bks_tick tick);
void bksi_progress_hashed(bksi_progress *progress);
/// Note that the state was saved, or need not be.
void bksi_progress_saved(bksi_progress *progress);
/// End resimulation: all states from the current tick to the present are the same as before the
/// rollback, so the newest snapshot is valid.
void bksi_progress_end_early(bksi_progress *progress, bks_tick newest);

/// Mark the states from a tick on as spoilt by a failed operation.
void bksi_progress_fail(bksi_progress *progress, bks_tick tick);
/// If a failed operation spoilt the present state, forget the hash of its tick and the snapshot of
/// that tick that was saved earlier.
void bksi_progress_spoil(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled);

/// Return true if the state of a tick came from a failed operation.
static inline bool bksi_progress_is_spoilt(const bksi_progress *progress, bks_tick tick)
{
    return progress->spoilt != BKS_TICK_NONE && tick >= progress->spoilt;
}

#endif
