// SPDX-License-Identifier: MIT

/// @file membership.h
/// Who is in the match: a log of numbered views, each without those who left with it. All ask here;
/// membership.c alone writes it.

#ifndef BKSI_MEMBERSHIP_H
#define BKSI_MEMBERSHIP_H

#include "backstitch/session.h"

#include "wire/view_messages.h"

/// Masks of peers.
#define PEER_BIT(peer) (1u << (peer))

/// The view to be entered next.
typedef struct next_view {
    uint32_t leavers; ///< bits by peer
    bks_tick ends[BKS_PEERS_MAX];
} next_view;

/// One view: who left with it, and where each of them ends.
typedef struct session_view {
    uint32_t leavers; ///< bits by peer
    bks_tick ends[BKS_PEERS_MAX];
    uint64_t hash; ///< of this and all before it
} session_view;

typedef struct session_membership {
    session_view views[BKS_PEERS_MAX];
    uint32_t view;     ///< the newest
    uint32_t departed; ///< bits: the leavers of all views
    uint32_t frozen;   ///< bits: whose inputs are no longer taken, leavers of the next view
    uint32_t peer_view[BKS_PEERS_MAX]; ///< by peer: the newest view it was known to be in
    uint32_t handovers;
} session_membership;

/// Enter the next view.
void bksi_membership_enter(bks_session *session, const next_view *next);
/// No more inputs of these are taken until the next view.
void bksi_membership_freeze(bks_session *session, uint32_t peers);
/// A peer is known to be in a view.
void bksi_membership_seen(bks_session *session, uint32_t peer, uint32_t view);

/// Bits of those who were in a view of ours.
uint32_t bksi_membership_in(const bks_session *session, uint32_t view);
/// The lowest peer in the view: the host.
uint32_t bksi_membership_host(const bks_session *session);
/// The first tick without a peer, BKS_TICK_NONE while it is in.
bks_tick bksi_membership_end(const bks_session *session, uint32_t peer);
/// Whether a peer must be sent the next view.
bool bksi_membership_is_behind(const bks_session *session, uint32_t peer);
/// Whether a hash of this tick sent in an older view is still true in ours.
bool bksi_membership_agrees_on(const bks_session *session, uint32_t view, bks_tick tick);
/// Whether a view with this number and hash is ours or one before it; a later one may be.
bool bksi_membership_knows(const bks_session *session, uint32_t view, uint32_t hash);
bksi_view_name bksi_membership_name(const bks_session *session, uint32_t view);
bool bksi_membership_is_ours(const bks_session *session, const bksi_view_name *name);

/// The lowest peer of a mask, BKS_PEERS_MAX when it is empty.
uint32_t bksi_peers_lowest(uint32_t peers);
/// How many peers a mask holds.
uint32_t bksi_peers_count(uint32_t peers);

#endif
