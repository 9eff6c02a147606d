// SPDX-License-Identifier: MIT

/// @file settled.h
/// Hashes of the states: kept by tick, replaced when the tick is entered again, published once the
/// tick is settled and never before. A settled tick was stepped the last time, with confirmed
/// inputs [INVERSUS, Desync Detection].

#ifndef BKSI_SETTLED_H
#define BKSI_SETTLED_H

#include "backstitch/base.h"

/// Hash of the state at the start of a tick.
typedef struct bksi_tick_hash {
    bks_tick tick;   ///< BKS_TICK_NONE while the place holds nothing
    uint64_t state;  ///< of the last time the tick was entered
    uint64_t inputs; ///< chain over all inputs before the tick; once it is published
    uint64_t states; ///< chain over the hashes of all ticks up to this one; likewise
} bksi_tick_hash;

typedef struct bksi_settled {
    bksi_tick_hash *hashes; ///< by tick modulo capacity_ticks
    uint32_t capacity_ticks;
    uint32_t every;     ///< ticks from one hash to the next
    bks_tick first;     ///< of the match, hashed too
    bks_tick end;       ///< hashed too; 0: there is no last tick
    bks_tick tick;      ///< the state at its start and the inputs before it are final
    bks_tick published; ///< newest settled tick with a hash, BKS_TICK_NONE: none yet
    uint64_t chain;     ///< of the inputs before `tick`
    uint64_t states;    ///< of the hashes that are published
    bks_tick held;      ///< neither it nor a later tick is published; BKS_TICK_NONE: none is held
} bksi_settled;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_settled_create(bksi_settled *settled, uint32_t capacity_ticks,
                               const bks_allocator *allocator);
void bksi_settled_destroy(bksi_settled *settled, const bks_allocator *allocator);

/// The match begins.
/// @param every  ticks from one hash to the next
/// @param first  the state is that of this tick, which is hashed too
/// @param end    the last tick is hashed too; 0: there is none
void bksi_settled_start(bksi_settled *settled, uint32_t every, bks_tick first, bks_tick end);

/// This is the last tick after all; its state was not reached yet.
void bksi_settled_end_at(bksi_settled *settled, bks_tick end);

/// Whether the state of a tick must be hashed.
static inline bool bksi_settled_wants(const bksi_settled *settled, bks_tick tick)
{
    return tick % (bks_tick)settled->every == 0 || tick == settled->first ||
           (settled->end > 0 && tick == settled->end);
}

/// Neither this tick nor a later one is published until it is let go: what its state is is still to
/// be agreed on.
void bksi_settled_hold(bksi_settled *settled, bks_tick tick);
/// It and those after it may be published. `states` begins anew when the states before it count no
/// more.
void bksi_settled_let_go(bksi_settled *settled, bool begins_anew);
/// Whether all before the tick that is held is settled, and nothing but agreement is missing.
static inline bool bksi_settled_is_waiting(const bksi_settled *settled)
{
    return settled->held != BKS_TICK_NONE && settled->tick == settled->held;
}
/// Its hash, which is not published.
static inline const bksi_tick_hash *bksi_settled_waiting(const bksi_settled *settled)
{
    return &settled->hashes[(uint32_t)settled->held % settled->capacity_ticks];
}

/// Keep the hash of a tick that was entered.
/// @return whether it is as it was when the tick was entered before
bool bksi_settled_keep(bksi_settled *settled, bks_tick tick, uint64_t hash);

/// The state of this tick came of a step that failed: it has no hash.
void bksi_settled_forget(bksi_settled *settled, bks_tick tick);

/// One input of the next tick to be settled is confirmed; players come in order.
void bksi_settled_link(bksi_settled *settled, uint32_t player, const uint8_t *packed, size_t bytes);

/// Its inputs are linked: one more tick is settled.
void bksi_settled_advance(bksi_settled *settled);

/// The state at the start of the settled tick is final: its hash is published, if it has one.
void bksi_settled_publish(bksi_settled *settled);

/// The newest published hash.
/// @return NULL when there is none, or a later tick's, soon to be published, lies in its place
const bksi_tick_hash *bksi_settled_newest(const bksi_settled *settled);

/// The published hash of a tick.
/// @return NULL when it is not published, has none, or is too old
static inline const bksi_tick_hash *bksi_settled_hash(const bksi_settled *settled, bks_tick tick)
{
    if (tick < 0 || tick > settled->published) {
        return NULL;
    }
    const bksi_tick_hash *hash = &settled->hashes[(uint32_t)tick % settled->capacity_ticks];
    return hash->tick == tick ? hash : NULL;
}

#endif
