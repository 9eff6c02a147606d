// SPDX-License-Identifier: MIT

/// @file peer_inspect.h
/// What the lab does to a peer and no game may.

#ifndef BKSI_PEER_INSPECT_H
#define BKSI_PEER_INSPECT_H

#include "backstitch/toolkit/peer.h"

#include "game/runner.h"

/// A planted desync: one bit that changes whenever a tick is entered, resimulating too. Or once: in
/// the first state that is entered when the tick is known to be final, and so in all that come of
/// it, also where a rollback enters that state again.
typedef struct bksi_flip {
    bks_tick tick; ///< BKS_TICK_NONE: none
    bool is_once;
    bool is_drawn;   ///< `offset` picks a byte of the game's own, see bksi_runner_draw_offset()
    uint64_t offset; ///< of the byte
    uint32_t bit;    ///< 0..7
} bksi_flip;

/// What came of it when the bit was last changed.
typedef struct bksi_flipped {
    bool is_there;       ///< it came to that
    bks_tick tick;       ///< of the state in which it changed
    bool is_beyond;      ///< the byte lies behind those in use, and nothing changed
    uint64_t offset;     ///< of the byte
    uint64_t used_bytes; ///< of the state then
} bksi_flipped;

/// Plant a flip, in place of an earlier one.
void bksi_peer_flip(bks_peer *peer, const bksi_flip *flip);
bksi_flipped bksi_peer_flipped(const bks_peer *peer);

/// Called whenever a tick is entered, after a flip. `inputs` are those it was stepped with, NULL:
/// the match begins with it, or its state was repaired.
typedef void (*bksi_peer_entered)(void *context, bks_tick tick, const int32_t *inputs);

/// Be called from now on; NULL stops.
void bksi_peer_listen_ticks(bks_peer *peer, bksi_peer_entered entered, void *context);

/// Lend the present state, that of the start of `tick`, so that no second copy is made. The bytes
/// stay as long as the session may load them.
/// @return the bytes, NULL: none are lent
typedef const void *(*bksi_peer_lend)(void *context, bks_tick tick, size_t *out_count);

/// Ask `lend` whenever a state is to be saved; NULL stops.
void bksi_peer_lend_states(bks_peer *peer, bksi_peer_lend lend, void *context);

/// What an operation costs on a game with a state of `state_bytes`, in nanoseconds.
typedef uint64_t (*bksi_peer_cost)(void *context, bks_op_kind kind, size_t state_bytes);

/// Give the session these costs instead of measured ones, so that they are the same in every run.
void bksi_peer_model_costs(bks_peer *peer, bksi_peer_cost cost_ns, void *context);

/// End the recording now: in order, as bks_peer_destroy() does, or as a kill would leave it.
void bksi_peer_close_recording(bks_peer *peer, bool is_killed);

/// The runner inside.
bksi_runner *bksi_peer_runner(bks_peer *peer);

#endif
