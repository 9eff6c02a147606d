// SPDX-License-Identifier: MIT

/// @file settled.h
/// Hashes of the states by tick. A hash is replaced when its tick is reached again, and published
/// once the tick is settled. A settled tick was stepped for the last time, with confirmed inputs
/// [INVERSUS, Desync Detection].

#ifndef BKSI_SETTLED_H
#define BKSI_SETTLED_H

#include "backstitch/base.h"

/// Hash of the state at the start of a tick.
typedef struct bksi_tick_hash {
    bks_tick tick;   ///< tick of the hash; BKS_TICK_NONE: the entry is empty
    uint64_t state;  ///< hash of the state when the tick was last reached
    uint64_t inputs; ///< running hash of all inputs before `tick`, set when the hash is published
    /// Running hash of the published hashes up to this one, set when it is published.
    uint64_t states;
} bksi_tick_hash;

typedef struct bksi_settled {
    bksi_tick_hash *hashes; ///< ring of hashes, by tick modulo capacity_ticks
    uint32_t capacity_ticks;
    uint32_t every; ///< ticks from one hash to the next
    bks_tick first; ///< first tick of the match, which is hashed, too
    bks_tick end;   ///< last tick of the match, which is hashed, too; 0: no end
    /// Newest settled tick: the state at its start and all earlier inputs are final.
    bks_tick tick;
    bks_tick published; ///< newest settled tick with a hash, BKS_TICK_NONE: none yet
    uint64_t chain;     ///< running hash of all inputs before `tick`
    uint64_t states;    ///< running hash of all published hashes
    /// Tick that is held back, so it and later ticks are not published; BKS_TICK_NONE: none.
    bks_tick held;
} bksi_settled;

/// Create an empty ring of hashes.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_settled_create(bksi_settled *settled, uint32_t capacity_ticks,
                               const bks_allocator *allocator);
void bksi_settled_destroy(bksi_settled *settled, const bks_allocator *allocator);

/// Start the match.
/// @param every  ticks from one hash to the next
/// @param first  first tick, which is hashed too
/// @param end    last tick, which is hashed too; 0: no end
void bksi_settled_start(bksi_settled *settled, uint32_t every, bks_tick first, bks_tick end);

/// Set the last tick of the match, whose state was not reached yet.
void bksi_settled_end_at(bksi_settled *settled, bks_tick end);

/// Return true if the state of a tick must be hashed.
static inline bool bksi_settled_wants(const bksi_settled *settled, bks_tick tick)
{
    return tick % (bks_tick)settled->every == 0 || tick == settled->first ||
           (settled->end > 0 && tick == settled->end);
}

/// Hold back a tick: neither the tick nor a later one is published until its state is agreed on.
void bksi_settled_hold(bksi_settled *settled, bks_tick tick);
/// Release the tick that is held back. If `begins_anew`, restart the running hash `states`, because
/// earlier states may differ between the peers.
void bksi_settled_let_go(bksi_settled *settled, bool begins_anew);
/// Return true if all ticks before the one that is held back are settled, so that only the
/// agreement is missing.
static inline bool bksi_settled_is_waiting(const bksi_settled *settled)
{
    return settled->held != BKS_TICK_NONE && settled->tick == settled->held;
}
/// Return the hash of the tick that is held back, which is not published.
static inline const bksi_tick_hash *bksi_settled_waiting(const bksi_settled *settled)
{
    return &settled->hashes[(uint32_t)settled->held % settled->capacity_ticks];
}

/// Store the hash of a tick that was reached.
/// @return true if the hash equals that of the last time the tick was reached
bool bksi_settled_keep(bksi_settled *settled, bks_tick tick, uint64_t hash);

/// Forget the hash of a tick whose state came from a failed step.
void bksi_settled_forget(bksi_settled *settled, bks_tick tick);

/// Add a player's confirmed input of the next tick to settle to the running hash `chain`. Call this
/// for the players in order.
void bksi_settled_link(bksi_settled *settled, uint32_t player, const uint8_t *packed, size_t bytes);

/// Settle the next tick, whose inputs are all in the running hash `chain`.
void bksi_settled_advance(bksi_settled *settled);

/// Publish the hash of the settled tick, whose state is final, if it has one.
void bksi_settled_publish(bksi_settled *settled);

/// Return the newest published hash.
/// @return NULL when no hash is published, or the hash of a later tick has replaced the published
///         one
const bksi_tick_hash *bksi_settled_newest(const bksi_settled *settled);

/// Return the published hash of a tick.
/// @return NULL when the tick's hash is not published, does not exist, or is too old
static inline const bksi_tick_hash *bksi_settled_hash(const bksi_settled *settled, bks_tick tick)
{
    if (tick < 0 || tick > settled->published) {
        return NULL;
    }
    const bksi_tick_hash *hash = &settled->hashes[(uint32_t)tick % settled->capacity_ticks];
    return hash->tick == tick ? hash : NULL;
}

#endif
