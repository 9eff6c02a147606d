// SPDX-License-Identifier: MIT

/// @file peer_inspect.h
/// What the lab does to a peer and no game may.

#ifndef BKSI_PEER_INSPECT_H
#define BKSI_PEER_INSPECT_H

#include "backstitch/peer.h"

#include "game/runner.h"

/// Plant a desync: change one bit of byte `offset` (modulo the bytes in use) whenever `tick` is
/// entered, resimulating too. BKS_TICK_NONE stops.
void bksi_peer_flip(bks_peer *peer, bks_tick tick, uint64_t offset);

/// The same at a byte of the game's own that `draw` picks, see bksi_region_draw_offset().
void bksi_peer_flip_drawn(bks_peer *peer, bks_tick tick, uint64_t draw);

/// What an operation costs on a game with a state of `state_bytes`, in nanoseconds.
typedef uint64_t (*bksi_peer_cost)(void *context, bks_op_kind kind, size_t state_bytes);

/// Give the session these costs instead of measured ones, so that they are the same in every run.
void bksi_peer_model_costs(bks_peer *peer, bksi_peer_cost cost_ns, void *context);

/// End the recording now: in order, as bks_peer_destroy() does, or as a kill would leave it.
void bksi_peer_close_recording(bks_peer *peer, bool is_killed);

/// The runner inside.
bksi_runner *bksi_peer_runner(bks_peer *peer);

#endif
