// SPDX-License-Identifier: MIT

/// @file slots.h
/// Slots of snapshots: which tick's state each slot holds, and which tick is saved next. Under
/// every policy there is always a valid snapshot at or before the newest certain tick, because no
/// rollback goes further back [INVERSUS, Rolling State Buffers].

#ifndef BKSI_SLOTS_H
#define BKSI_SLOTS_H

#include "backstitch/session.h"
#include "base/report.h"

typedef struct bksi_slots {
    bks_save_policy policy;
    uint32_t window_ticks;
    bks_tick *ticks; ///< tick of the state in each slot; BKS_TICK_NONE: the slot has no valid state
    /// By slot: true if the snapshot was taken before a rollback to an earlier tick, and counts as
    /// valid only because the hash of its tick stayed the same.
    bool *by_hash;
    uint32_t *by_tick; ///< slots with a valid snapshot, the oldest first
    uint32_t kept;     ///< number of slots with a valid snapshot
    uint32_t count;    ///< number of slots in use
    uint32_t room;     ///< number of slots for which memory is allocated
    bks_tick spacing;  ///< ticks from one snapshot to the next; unused by policy `one`
    bks_tick target;   ///< policy `one`: tick that the snapshot moves to; BKS_TICK_NONE: it stays
} bksi_slots;

/// Create empty slots as the policy needs them.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_slots_create(bksi_slots *slots, bks_save_policy policy, uint32_t window_ticks,
                             const bks_allocator *allocator);
void bksi_slots_destroy(bksi_slots *slots, const bks_allocator *allocator);

/// With policy `auto`, reduce the number of slots to `count`, but not below 2. Other policies keep
/// their number.
void bksi_slots_limit(bksi_slots *slots, uint32_t count);

/// Set the ticks from one snapshot to the next.
static inline void bksi_slots_space(bksi_slots *slots, bks_tick spacing)
{
    slots->spacing = spacing;
}

/// Set the tick to which policy `one` moves its snapshot in this update; BKS_TICK_NONE: the
/// snapshot stays.
static inline void bksi_slots_aim(bksi_slots *slots, bks_tick tick)
{
    slots->target = tick;
}

/// Return the number of slots needed for snapshots that are `spacing` ticks apart.
uint32_t bksi_slots_needed(const bksi_slots *slots, bks_tick spacing);

/// Choose the slot in which to save the state of tick `at`.
/// @param certain  newest tick whose state is certain and was reached
/// @return the slot, -1: do not save the state
int32_t bksi_slots_place(const bksi_slots *slots, bks_tick at, bks_tick certain,
                         bool is_resimulating);

/// Find the slot of the newest snapshot at or before a tick.
/// @return the slot, -1: there is no such snapshot
int32_t bksi_slots_newest(const bksi_slots *slots, bks_tick until);

/// Find the slot of the newest snapshot at or before a tick, which must exist.
static inline uint32_t bksi_slots_nearest(const bksi_slots *slots, bks_tick tick)
{
    int32_t slot = bksi_slots_newest(slots, tick);
    BKS_ASSERT(slot >= 0);
    return (uint32_t)slot;
}

/// Find the newest snapshot of the ticks from..until. Skip snapshots that were taken before a
/// rollback and count as valid only because the hash of their tick stayed the same.
/// @return the slot, -1: there is no such snapshot
int32_t bksi_slots_surest(const bksi_slots *slots, bks_tick from, bks_tick until);

/// Note that the state of a tick was saved in a slot; BKS_TICK_NONE: saving failed.
void bksi_slots_saved(bksi_slots *slots, uint32_t slot, bks_tick tick);

/// Note that a slot was loaded. Snapshots of later ticks stay valid only if the hashes of these
/// ticks turn out the same.
void bksi_slots_loaded(bksi_slots *slots, uint32_t slot);

/// Forget all snapshots.
void bksi_slots_forget_all(bksi_slots *slots);

/// Forget the snapshot of a tick, if there is one.
void bksi_slots_forget(bksi_slots *slots, bks_tick tick);

#endif
