// SPDX-License-Identifier: MIT

/// @file kept.h
/// Kept states: in which slot the state of which hashed tick lies until all peers have agreed on
/// it. They take turns in a ring of slots. Three more slots take over from the ring what must stay
/// longer: the newest state that all agreed on, one that is being looked at, and one in which the
/// peers are to meet.

#ifndef BKSI_KEPT_H
#define BKSI_KEPT_H

#include "backstitch/session.h"

/// Beside the ring.
#define BKSI_KEPT_PINS 3u

/// A slot and what lies in it.
typedef struct bksi_kept_state {
    bks_tick tick;   ///< BKS_TICK_NONE: nothing
    bool is_missing; ///< the state of that tick did not fit, or is not what lies there any more
    uint32_t slot;
} bksi_kept_state;

typedef struct bksi_kept {
    bksi_kept_state *ring;                ///< by number of the hashed tick modulo `length`
    uint32_t length;                      ///< 0: nothing is kept
    bksi_kept_state pins[BKSI_KEPT_PINS]; ///< agreed on; looked at; met in
    bks_tick every;                       ///< ticks from one hash to the next
    bks_tick agreed;                      ///< all agreed on this tick, BKS_TICK_NONE: on none yet
    bks_tick looked_at;                   ///< BKS_TICK_NONE: none
    bks_tick met_in;                      ///< likewise
    uint64_t lost;       ///< ticks that left the ring too early, or had not fitted into it
    bks_tick left_until; ///< the newest that left it: each counts once, however often it is stepped
} bksi_kept;

/// @param ticks  0: nothing is kept
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_kept_create(bksi_kept *kept, uint32_t ticks, const bks_allocator *allocator);
void bksi_kept_destroy(bksi_kept *kept, const bks_allocator *allocator);

static inline uint32_t bksi_kept_slots(const bksi_kept *kept)
{
    return kept->length > 0 ? kept->length + BKSI_KEPT_PINS : 0;
}

/// The match begins.
/// @param every  ticks from one hash to the next
/// @param is_on  whether there are others to agree with
void bksi_kept_start(bksi_kept *kept, bks_tick every, bool is_on);

/// The slot for the state of a tick that is about to be hashed. What it held is gone.
/// @return the slot, BKS_KEEP_NONE: it is not to be kept
uint32_t bksi_kept_place(bksi_kept *kept, bks_tick tick);
/// That state does not fit.
void bksi_kept_failed(bksi_kept *kept, bks_tick tick);

/// What is kept of a tick is its state no more: others wrote into it.
void bksi_kept_spoil(bksi_kept *kept, bks_tick tick);

/// How many ticks' states did not stay until all agreed, or did not fit.
uint64_t bksi_kept_lost(const bksi_kept *kept);

/// All agree on the states up to this tick.
static inline void bksi_kept_agree(bksi_kept *kept, bks_tick tick)
{
    kept->agreed = tick > kept->agreed ? tick : kept->agreed;
}

/// The state of this tick is being looked at: it stays until another one is.
void bksi_kept_look_at(bksi_kept *kept, bks_tick tick);
/// The peers are to meet in this tick: likewise.
void bksi_kept_meet_in(bksi_kept *kept, bks_tick tick);

/// The slot that holds the state of a tick, as it was hashed last.
/// @return the slot, BKS_KEEP_NONE: none
uint32_t bksi_kept_find(const bksi_kept *kept, bks_tick tick);
/// The oldest tick of a range whose state is kept.
/// @return the tick, BKS_TICK_NONE: none
bks_tick bksi_kept_oldest(const bksi_kept *kept, bks_tick from, bks_tick until);

#endif
