// SPDX-License-Identifier: MIT

/// @file membership.h
/// The members of the match: a log of numbered views, each without the peers that left with it. All
/// ask here; membership.c alone writes it.

#ifndef BKSI_MEMBERSHIP_H
#define BKSI_MEMBERSHIP_H

#include "backstitch/session.h"

#include "session/seats.h"
#include "wire/view_messages.h"

/// The view to be entered next.
typedef struct next_view {
    uint32_t leavers; ///< bits by peer
    bks_tick ends[BKS_PEERS_MAX];
} next_view;

/// One view: the peers that left with it, and where each of them ends.
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

/// These are to leave with the next view, each at its end.
void bksi_membership_plan(next_view *next, uint32_t leavers, const bks_tick *ends);
/// Enter it.
void bksi_membership_enter(session_membership *membership, const session_seats *seats,
                           const next_view *next);
/// No more inputs of these, and of no others, are refused from now on.
void bksi_membership_freeze(session_membership *membership, uint32_t peers);
/// A peer is known to be in a view.
void bksi_membership_seen(session_membership *membership, uint32_t peer, uint32_t view);

/// Bits of those in the newest view.
static inline uint32_t bksi_membership_now(const session_membership *membership,
                                           const session_seats *seats)
{
    return bksi_seats_everyone(seats) & ~membership->departed;
}
/// Whether no more inputs of a peer are taken until the next view.
static inline bool bksi_membership_is_frozen(const session_membership *membership, uint32_t peer)
{
    return (membership->frozen >> peer & 1) != 0;
}
/// Bits of those who were in a view of ours.
uint32_t bksi_membership_in(const session_membership *membership, const session_seats *seats,
                            uint32_t view);
/// The lowest peer in the view: the host.
uint32_t bksi_membership_host(const session_membership *membership, const session_seats *seats);
/// The first tick without a peer, BKS_TICK_NONE while it is in.
bks_tick bksi_membership_end(const session_membership *membership, uint32_t peer);
/// Whether a peer must be sent the next view.
bool bksi_membership_is_behind(const session_membership *membership, uint32_t peer);
/// Whether a hash of this tick sent in an older view is still true in ours.
bool bksi_membership_agrees_on(const session_membership *membership, uint32_t view, bks_tick tick);
/// Whether a view with this number and hash is ours or one before it; a later one may be.
bool bksi_membership_knows(const session_membership *membership, uint32_t view, uint32_t hash);
bksi_view_name bksi_membership_name(const session_membership *membership, uint32_t view);
bool bksi_membership_is_ours(const session_membership *membership, const bksi_view_name *name);

#endif
