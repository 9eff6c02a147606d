// SPDX-License-Identifier: MIT

/// @file inspect.h
/// What the lab sees of a session and does to it, and no game may.

#ifndef BKSI_INSPECT_H
#define BKSI_INSPECT_H

#include "backstitch/session.h"
#include "input/layout.h"
#include "session/common/common.h"
#include "wire/view_messages.h"

/// Equivocate from now on.
/// @param equivocation  must outlive the session, may change meanwhile; NULL: only the truth
void bksi_inspect_equivocate(bks_session *session, const bksi_equivocation *equivocation);

/// Host: the peer that takes this first seat is to have this number.
void bksi_inspect_reserve(bks_session *session, uint32_t first_player, uint32_t number);

/// The tick that is sampled next.
bks_tick bksi_inspect_own_head(const bks_session *session);

/// How far the inputs of a peer are known.
bks_tick bksi_inspect_head(const bks_session *session, uint32_t peer);

/// The first of our own players.
uint32_t bksi_inspect_own_player(const bks_session *session);

/// Whether a peer is in our view; the tick from which on it is not, BKS_TICK_NONE when it is; and
/// our host.
bool bksi_inspect_has(const bks_session *session, uint32_t peer);
bks_tick bksi_inspect_end(const bks_session *session, uint32_t peer);
uint32_t bksi_inspect_host(const bks_session *session);

/// Number of our view, 0: no peer has left.
uint32_t bksi_inspect_view(const bks_session *session);

/// Its name in messages.
bksi_view_name bksi_inspect_view_name(const bks_session *session);

/// Whether two sessions are in the same one.
bool bksi_inspect_same_view(const bks_session *a, const bks_session *b);

/// Whether a ballot is under way.
bool bksi_inspect_is_voting(const bks_session *session);

/// The input delay in force, in ticks.
uint32_t bksi_inspect_delay(const bks_session *session);

/// Packets with inputs that came from a peer.
uint64_t bksi_inspect_packets(const bks_session *session, uint32_t from);

/// Hash of all inputs before a tick that is published and not long ago, 0 for others.
uint64_t bksi_inspect_inputs_hash(const bks_session *session, bks_tick tick);

/// What a session knows of another peer's states.
typedef struct bksi_inspected_difference {
    bool is_heard;     ///< of a tick that we have it sent another hash
    bool is_seen;      ///< and that was noticed
    bool is_reported;  ///< and reported
    uint64_t since_ns; ///< it was noticed so long ago
} bksi_inspected_difference;

bksi_inspected_difference bksi_inspect_difference(const bks_session *session, uint32_t from);

/// How far a session is with its newest meeting.
typedef struct bksi_inspected_meeting {
    bool is_on;
    bks_tick tick;     ///< of it, BKS_TICK_NONE: there was none
    uint64_t since_ns; ///< it ended so long ago
} bksi_inspected_meeting;

bksi_inspected_meeting bksi_inspect_meeting(const bks_session *session);

/// How inputs are packed.
const bksi_layout *bksi_inspect_layout(const bks_session *session);

#endif
