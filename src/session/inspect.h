// SPDX-License-Identifier: MIT

/// @file inspect.h
/// Calls for the lab alone, which inspects and changes a session. Games must not use them.

#ifndef BKSI_INSPECT_H
#define BKSI_INSPECT_H

#include "backstitch/session.h"
#include "input/layout.h"
#include "session/common/common.h"
#include "wire/view_messages.h"

/// Send some peers false inputs or changed messages from now on.
/// @param equivocation  hooks, which must outlive the session and may change; NULL: send only true
///                      inputs and unchanged messages
void bksi_inspect_equivocate(bks_session *session, const bksi_equivocation *equivocation);

/// Host: reserve a number for the peer whose first seat is `first_player`.
void bksi_inspect_reserve(bks_session *session, uint32_t first_player, uint32_t number);

/// Get the tick that is sampled next.
bks_tick bksi_inspect_own_head(const bks_session *session);

/// Get a peer's head: one past the newest tick of which the session knows its inputs.
bks_tick bksi_inspect_head(const bks_session *session, uint32_t peer);

/// Get the first of our own players.
uint32_t bksi_inspect_own_player(const bks_session *session);

/// Return true if a peer is in our view.
bool bksi_inspect_has(const bks_session *session, uint32_t peer);
/// Get the first tick without a peer; BKS_TICK_NONE while the peer is in our view.
bks_tick bksi_inspect_end(const bks_session *session, uint32_t peer);
/// Get the number of our host.
uint32_t bksi_inspect_host(const bks_session *session);

/// Get the number of our view; 0: no peer has left.
uint32_t bksi_inspect_view(const bks_session *session);

/// Get the name of our view in messages.
bksi_view_name bksi_inspect_view_name(const bks_session *session);

/// Return true if two sessions are in the same view.
bool bksi_inspect_same_view(const bks_session *a, const bks_session *b);

/// Return true if a ballot is under way.
bool bksi_inspect_is_voting(const bks_session *session);

/// Get the input delay in force, in ticks.
uint32_t bksi_inspect_delay(const bks_session *session);

/// Get the newest decision on pause and speed that the session knows; number 0: there was none.
bksi_speed_decision bksi_inspect_speed(const bks_session *session);

/// Get the number of packets with inputs that came from a peer.
uint64_t bksi_inspect_packets(const bks_session *session, uint32_t from);

/// Get the hash of all inputs before a tick that was published recently; 0 for other ticks.
uint64_t bksi_inspect_inputs_hash(const bks_session *session, bks_tick tick);

/// How far a session has come with a difference between its own states and those of another peer.
typedef struct bksi_inspected_difference {
    /// The session holds a hash from the peer that differs from its own hash of the same tick. It
    /// may not have compared the two yet.
    bool is_heard;
    bool is_seen;      ///< the session compared a hash of the peer with ours and found a difference
    bool is_reported;  ///< the difference was reported as an event
    uint64_t since_ns; ///< time since the session found the difference
} bksi_inspected_difference;

bksi_inspected_difference bksi_inspect_difference(const bks_session *session, uint32_t from);

/// Progress of a session's newest meeting.
typedef struct bksi_inspected_meeting {
    bool is_on;
    bks_tick tick;     ///< tick of the meeting; BKS_TICK_NONE: there was none
    uint64_t since_ns; ///< time since the meeting ended
} bksi_inspected_meeting;

bksi_inspected_meeting bksi_inspect_meeting(const bks_session *session);

/// Get the layout of packed inputs.
const bksi_layout *bksi_inspect_layout(const bks_session *session);

#endif
