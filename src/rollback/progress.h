// SPDX-License-Identifier: MIT

/// @file progress.h
/// Where the game's state stands, how far the game has come, and what must be done with the state
/// before it continues.

#ifndef BKSI_PROGRESS_H
#define BKSI_PROGRESS_H

#include "rollback/settled.h"
#include "rollback/slots.h"

typedef struct bksi_rollback_counts {
    uint64_t rollbacks;
    uint64_t depth_sum; ///< ticks from the wrong one to the present, summed
    uint32_t depth_max;
    uint64_t resimulated;
    uint64_t early_ends;      ///< the states came out as they were
    uint64_t early_end_ticks; ///< that were not stepped again for it
} bksi_rollback_counts;

typedef struct bksi_progress {
    bks_tick at;          ///< the state is at the start of this tick
    bks_tick front;       ///< the present: one past the newest tick stepped
    bks_tick spoilt;      ///< the states from here on came of what failed; none: no
    bks_tick load_until;  ///< load the newest snapshot up to here; or BKS_TICK_NONE
    bks_tick restore;     ///< before that: the kept state of this tick; or BKS_TICK_NONE
    bool is_resimulating; ///< the state was reached from a snapshot, up to the first new tick
    bool wants_hash;      ///< of the state as it is
    bool wants_save;      ///< perhaps: ask the policy
    bksi_rollback_counts counts;
} bksi_progress;

/// The match begins with this tick; 0 otherwise.
void bksi_progress_begin(bksi_progress *progress, bks_tick first);
/// The match begins: the state is that of the first tick.
void bksi_progress_start(bksi_progress *progress);

/// What was stepped from this tick on is wrong.
void bksi_progress_go_back(bksi_progress *progress, bks_tick wrong);
/// Load the newest snapshot up to a tick.
void bksi_progress_load(bksi_progress *progress, bks_tick until);

/// The kept state of a tick was changed: the game is to continue from it.
void bksi_progress_want_restored(bksi_progress *progress, bks_tick tick);
/// It is, or cannot.
void bksi_progress_restored(bksi_progress *progress, bool is_there);

/// The state was stepped, or its tick passed without the game.
/// @return whether it was a new tick
bool bksi_progress_stepped(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled);
/// The state is that of a tick again, as it was when it was saved. What failed later is undone.
void bksi_progress_loaded(bksi_progress *progress, bks_tick tick);
void bksi_progress_hashed(bksi_progress *progress);
/// The state is saved, or is not to be.
void bksi_progress_saved(bksi_progress *progress);
/// All from here to the present came out as before: the newest snapshot is true after all.
void bksi_progress_end_early(bksi_progress *progress, bks_tick newest);

/// The states from a tick on come of what failed.
void bksi_progress_fail(bksi_progress *progress, bks_tick tick);
/// If the state is one of those, it must not be used, and a snapshot kept of this tick before is
/// not true either.
void bksi_progress_spoil(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled);

/// Whether the state of a tick came of what failed.
static inline bool bksi_progress_is_spoilt(const bksi_progress *progress, bks_tick tick)
{
    return progress->spoilt != BKS_TICK_NONE && tick >= progress->spoilt;
}

#endif
