// SPDX-License-Identifier: MIT

/// @file awaited_state.h
/// State of the first tick that a guest gets from the host before the start. Until it is here the
/// peer puts off making its state, and others see it loading.

#ifndef BKSI_AWAITED_STATE_H
#define BKSI_AWAITED_STATE_H

#include "backstitch/toolkit/peer.h"

/// Guest without start_state: await a state if the host's match begins with one. Call this after
/// bks_peer_create().
void bksi_awaited_state_begin(bks_peer *peer);

/// Find out if a state is awaited, and put off the start while it is. Call this in each update.
void bksi_awaited_state_update(bks_peer *peer);

/// Return the most bytes of the state that is awaited; 0: none is.
size_t bksi_awaited_state_bytes_max(const bks_peer *peer);

/// Give the state.
/// @param state  as in bks_peer_config.start_state, must outlive the peer
/// @param tick   tick at whose start the state is
void bksi_awaited_state_give(bks_peer *peer, const void *state, size_t count, bks_tick tick);

/// Refuse the match, because the state does not come. Later updates return `status`.
/// @param why  end of a sentence, for the players here and at the host
void bksi_awaited_state_refuse(bks_peer *peer, bks_status status, const char *why);

#endif
