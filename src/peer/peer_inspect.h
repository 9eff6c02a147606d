// SPDX-License-Identifier: MIT

/// @file peer_inspect.h
/// Access to a peer for the lab, which no game needs.

#ifndef BKSI_PEER_INSPECT_H
#define BKSI_PEER_INSPECT_H

#include "backstitch/toolkit/peer.h"

#include "game/runner.h"

/// Planted desync: one bit of the state of `tick`, which is changed each time this state is made,
/// also in resimulation. With is_once the change waits until the state of `tick` is published. It
/// is then made in the next state, which is of a later tick, and so all later states differ. If a
/// rollback makes that state again, it gets the change again.
typedef struct bksi_flip {
    bks_tick tick; ///< tick of the flip; BKS_TICK_NONE: no flip is planted
    bool is_once;
    bool is_drawn;   ///< `offset` picks a byte of the game's values, see bksi_runner_draw_offset()
    uint64_t offset; ///< offset of the byte whose bit flips
    uint32_t bit;    ///< index of the bit in the byte, 0..7
} bksi_flip;

/// Result of the last change of the planted bit.
typedef struct bksi_flipped {
    bool is_there;       ///< the state that the flip changes was made
    bks_tick tick;       ///< tick of the changed state
    bool is_beyond;      ///< the byte lies beyond the bytes in use, so nothing was changed
    uint64_t offset;     ///< offset of the changed byte
    uint64_t used_bytes; ///< bytes of the state in use at that time
} bksi_flipped;

/// Plant a flip, in place of an earlier one.
void bksi_peer_flip(bks_peer *peer, const bksi_flip *flip);
bksi_flipped bksi_peer_flipped(const bks_peer *peer);

/// Callback that hears that the state of `tick` was just made. If a flip of this state is planted,
/// the bit is changed already. `inputs` are the inputs of the step that made the state; NULL if the
/// match begins with the tick, or a repair made the state.
typedef void (*bksi_peer_entered)(void *context, bks_tick tick, const int32_t *inputs);

/// Set the callback that hears of each tick whose state was just made: by a step, also in
/// resimulation, by a repair, or as the match begins. NULL removes it.
void bksi_peer_listen_ticks(bks_peer *peer, bksi_peer_entered entered, void *context);

/// Callback that lends the state at the start of `tick`, so that no second copy is made. The lent
/// bytes must stay as long as the session may load them.
/// @return the bytes; NULL: none are lent
typedef const void *(*bksi_peer_lend)(void *context, bks_tick tick, size_t *out_count);

/// Set the callback that is asked whenever a state is saved; NULL removes it.
void bksi_peer_lend_states(bks_peer *peer, bksi_peer_lend lend, void *context);

/// Callback that gives the cost in ns of an operation on a game with a state of `state_bytes`
/// bytes.
typedef uint64_t (*bksi_peer_cost)(void *context, bks_op_kind kind, size_t state_bytes);

/// Give the session the costs of a model instead of measured ones, so that they are the same in
/// every run.
void bksi_peer_model_costs(bks_peer *peer, bksi_peer_cost cost_ns, void *context);

/// End a peer's recording now.
/// @param is_killed  true: leave it as a kill would; false: end it in order, as bks_peer_destroy()
///                   does
void bksi_peer_close_recording(bks_peer *peer, bool is_killed);

/// Get the runner of a peer.
bksi_runner *bksi_peer_runner(bks_peer *peer);

#endif
