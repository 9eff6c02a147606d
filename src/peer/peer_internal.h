// SPDX-License-Identifier: MIT

/// @file peer_internal.h
/// What the lab does to a peer and no game may.

#ifndef BKSI_PEER_INTERNAL_H
#define BKSI_PEER_INTERNAL_H

#include "backstitch/peer.h"

#include "game/runner.h"

/// Plant a desync: change one bit of byte `offset` (modulo the bytes in use) whenever `tick` is
/// entered, resimulating too. BKS_TICK_NONE stops.
void bksi_peer_flip(bks_peer *peer, bks_tick tick, uint64_t offset);

/// The same at a byte of the game's own that `draw` picks, see bksi_region_draw_offset().
void bksi_peer_flip_drawn(bks_peer *peer, bks_tick tick, uint64_t draw);

/// The runner inside.
bksi_runner *bksi_peer_runner(bks_peer *peer);

#endif
