// SPDX-License-Identifier: MIT

/// @file kept_states.h
/// Kept states of hashed ticks: which slot holds the state of which tick until all peers have
/// agreed on it. The states take turns in a ring of slots. Three more slots, the pins, hold states
/// that must stay longer: the newest one that all agreed on, one in which a descent searches for a
/// difference, and one on which the peers are to meet.

#ifndef BKSI_KEPT_STATES_H
#define BKSI_KEPT_STATES_H

#include "backstitch/session.h"

/// Number of pins, the slots beside the ring.
#define BKSI_KEPT_STATES_PINS 3u

/// Kept state in a slot.
typedef struct bksi_kept_state {
    bks_tick tick;   ///< tick of the state; BKS_TICK_NONE: the slot is empty
    bool is_missing; ///< the state of `tick` did not fit, or was overwritten
    uint32_t slot;
} bksi_kept_state;

typedef struct bksi_kept_states {
    bksi_kept_state *ring; ///< ring of states, by number of the hashed tick modulo `length`
    uint32_t length;       ///< number of states in the ring; 0: nothing is kept
    /// Newest state agreed on, state in which a descent searches, and state on which the peers
    /// meet.
    bksi_kept_state pins[BKSI_KEPT_STATES_PINS];
    bks_tick every;     ///< ticks from one hash to the next
    bks_tick agreed;    ///< newest tick on whose state all agreed, BKS_TICK_NONE: none yet
    bks_tick looked_at; ///< tick in which a descent searches, BKS_TICK_NONE: none
    bks_tick met_in;    ///< tick on whose state the peers meet, BKS_TICK_NONE: none
    /// Number of ticks whose states left the ring before the peers agreed on them, or did not fit.
    uint64_t lost;
    /// Newest tick counted in `lost`, so that each tick counts once, however often it is stepped.
    bks_tick left_until;
} bksi_kept_states;

/// Create the kept states of `ticks` hashed ticks, without content.
/// @param ticks  0: nothing is kept
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_kept_states_create(bksi_kept_states *kept, uint32_t ticks,
                                   const bks_allocator *allocator);
void bksi_kept_states_destroy(bksi_kept_states *kept, const bks_allocator *allocator);

static inline uint32_t bksi_kept_states_slots(const bksi_kept_states *kept)
{
    return kept->length > 0 ? kept->length + BKSI_KEPT_STATES_PINS : 0;
}

/// Start the match, from which on states are kept.
/// @param every  ticks from one hash to the next
/// @param is_on  true if there are other peers to agree with
void bksi_kept_states_start(bksi_kept_states *kept, bks_tick every, bool is_on);

/// Return the slot for the state of a tick that is about to be hashed. The old content of the slot
/// is lost.
/// @return the slot, BKS_KEEP_NONE: the state is not kept
uint32_t bksi_kept_states_place(bksi_kept_states *kept, bks_tick tick);
/// Note that the state of a tick did not fit.
void bksi_kept_states_failed(bksi_kept_states *kept, bks_tick tick);

/// Mark the kept state of a tick as overwritten.
void bksi_kept_states_spoil(bksi_kept_states *kept, bks_tick tick);

/// Return the number of states that were not kept because they did not fit, or that were
/// overwritten before the peers agreed on them.
uint64_t bksi_kept_states_lost(const bksi_kept_states *kept);

/// Note that all peers agree on the states up to a tick.
static inline void bksi_kept_states_agree(bksi_kept_states *kept, bks_tick tick)
{
    kept->agreed = tick > kept->agreed ? tick : kept->agreed;
}

/// Keep the state of a tick in which a descent searches for a difference, until the descent
/// searches in another tick.
void bksi_kept_states_look_at(bksi_kept_states *kept, bks_tick tick);
/// Keep the state of a tick on which the peers are to meet, until they meet on another tick.
void bksi_kept_states_meet_in(bksi_kept_states *kept, bks_tick tick);

/// Find the slot that holds the state of a tick as it was hashed last.
/// @return the slot, BKS_KEEP_NONE: none
uint32_t bksi_kept_states_find(const bksi_kept_states *kept, bks_tick tick);
/// Find the oldest tick of a range whose state is kept.
/// @return the tick, BKS_TICK_NONE: none
bks_tick bksi_kept_states_oldest(const bksi_kept_states *kept, bks_tick from, bks_tick until);

#endif
