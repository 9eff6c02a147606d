// SPDX-License-Identifier: MIT

/// @file slots.h
/// Which ticks are kept as snapshots, and in which slot each lies: the only place that knows. One
/// rule holds under every policy: some valid snapshot always lies at or before the newest tick
/// known for certain, since no rollback reaches further back [INVERSUS, Rolling State Buffers].

#ifndef BKSI_SLOTS_H
#define BKSI_SLOTS_H

#include "backstitch/session.h"
#include "base/report.h"

typedef struct bksi_slots {
    bks_save_policy policy;
    uint32_t window_ticks;
    bks_tick *ticks;   ///< by slot: whose state it holds; BKS_TICK_NONE: none that is valid
    bool *by_hash;     ///< by slot: a rollback went over it since, so it is true by its hash alone
    uint32_t *by_tick; ///< the slots that hold a valid snapshot, the oldest first
    uint32_t kept;     ///< how many do
    uint32_t count;    ///< slots
    uint32_t room;     ///< slots allocated
    bks_tick spacing;  ///< ticks from one snapshot to the next; not for policy `one`
    bks_tick target;   ///< policy `one`: the tick to move the snapshot to, or none
} bksi_slots;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_slots_create(bksi_slots *slots, bks_save_policy policy, uint32_t window_ticks,
                             const bks_allocator *allocator);
void bksi_slots_destroy(bksi_slots *slots, const bks_allocator *allocator);

/// There is room for no more than this; with policy `auto` fewer are enough, from 2 on.
void bksi_slots_limit(bksi_slots *slots, uint32_t count);

/// Ticks from one snapshot to the next, from now on.
static inline void bksi_slots_space(bksi_slots *slots, bks_tick spacing)
{
    slots->spacing = spacing;
}

/// Policy `one`: the tick to move the snapshot to in this update, BKS_TICK_NONE: it stays.
static inline void bksi_slots_aim(bksi_slots *slots, bks_tick tick)
{
    slots->target = tick;
}

/// Slots that snapshots so far apart need.
uint32_t bksi_slots_needed(const bksi_slots *slots, bks_tick spacing);

/// The slot to save the state of tick `at` in.
/// @param certain  the newest tick whose state is certain and was reached
/// @return the slot, -1: it is not to be saved
int32_t bksi_slots_place(const bksi_slots *slots, bks_tick at, bks_tick certain,
                         bool is_resimulating);

/// The slot of the newest snapshot at or before a tick.
/// @return the slot, -1: there is none
int32_t bksi_slots_newest(const bksi_slots *slots, bks_tick until);

/// The same of one that must be there.
static inline uint32_t bksi_slots_nearest(const bksi_slots *slots, bks_tick tick)
{
    int32_t slot = bksi_slots_newest(slots, tick);
    BKS_ASSERT(slot >= 0);
    return (uint32_t)slot;
}

/// The slot of the newest snapshot of from..until that is true by more than its hash.
/// @return the slot, -1: there is none
int32_t bksi_slots_surest(const bksi_slots *slots, bks_tick from, bks_tick until);

/// The state of a tick was saved, or with BKS_TICK_NONE could not be.
void bksi_slots_saved(bksi_slots *slots, uint32_t slot, bks_tick tick);

/// A slot was loaded: later ticks are stepped again, or found to be as they were.
void bksi_slots_loaded(bksi_slots *slots, uint32_t slot);

/// No snapshot is true.
void bksi_slots_forget_all(bksi_slots *slots);

/// A snapshot of this tick, if there is one, is not true.
void bksi_slots_forget(bksi_slots *slots, bks_tick tick);

#endif
