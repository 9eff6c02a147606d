// SPDX-License-Identifier: MIT

/// @file lie.h
/// What the lab does to a session and no game may: it tells two stories about one of its inputs.

#ifndef BKSI_LIE_H
#define BKSI_LIE_H

#include "backstitch/session.h"

/// From now on, one peer is told another input of ours for one tick than everybody else. The last
/// call counts.
/// @param tick     not yet sampled
/// @param to_peer  not ourselves
void bksi_session_lie(bks_session *session, bks_tick tick, uint32_t to_peer);

/// The tick that is sampled next.
bks_tick bksi_session_head(const bks_session *session);

/// The tick of the lie.
bks_tick bksi_session_lie_tick(const bks_session *session);

/// Packets that held the lie.
uint64_t bksi_session_lies_told(const bks_session *session);

/// Our input of a tick as a peer is told it: the confirmed one, or the lie in `scratch`.
/// @param scratch  BKSI_INPUT_BYTES_MAX bytes
const uint8_t *bksi_session_told(bks_session *session, uint32_t to_peer, uint32_t player,
                                 bks_tick tick, uint8_t *scratch);

#endif
