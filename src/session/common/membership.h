// SPDX-License-Identifier: MIT

/// @file membership.h
/// The members of the match: a log of numbered views, of which the newest are kept. Each has a mask
/// of its members, so that one may add peers as well. All ask here; membership.c alone writes it.

#ifndef BKSI_MEMBERSHIP_H
#define BKSI_MEMBERSHIP_H

#include "backstitch/session.h"

#include "session/common/seats.h"
#include "wire/view_messages.h"

/// The view to be entered next.
typedef struct next_view {
    uint32_t leavers; ///< bits by peer
    bks_tick ends[BKS_PEERS_MAX];
} next_view;

typedef struct session_view {
    uint32_t members;             ///< bits by peer
    uint32_t leavers;             ///< bits: those of the view before that are not in this one
    bks_tick ends[BKS_PEERS_MAX]; ///< by leaver: the first tick without it
    uint64_t hash;                ///< of this and all before it
} session_view;

typedef struct session_membership {
    session_view views[BKSI_GONE_VIEWS_MAX]; ///< by number modulo length
    uint32_t first;                          ///< number of the first one
    uint32_t view;                           ///< of the newest, up to UINT16_MAX
    uint32_t frozen; ///< bits: whose inputs are no longer taken, leavers of the next view
    uint32_t peer_view[BKS_PEERS_MAX]; ///< by peer: the newest view it was known to be in
    bks_tick ends[BKS_PEERS_MAX];      ///< by peer that has left: the first tick without it
    uint32_t handovers;
} session_membership;

/// The match begins with these members, in a view with this number and hash.
void bksi_membership_begin(session_membership *membership, uint32_t view, uint64_t hash,
                           uint32_t members);
/// These are to leave with the next view, each at its end.
void bksi_membership_plan(next_view *next, uint32_t leavers, const bks_tick *ends);
/// Enter it.
/// @param self  our own number
void bksi_membership_enter(session_membership *membership, uint32_t self, const next_view *next);
/// No more inputs of these, and of no others, are refused from now on.
void bksi_membership_freeze(session_membership *membership, uint32_t peers);
/// A peer is known to be in a view.
void bksi_membership_seen(session_membership *membership, uint32_t peer, uint32_t view);

/// A view of ours; NULL when it is not, or too old to be kept.
const session_view *bksi_membership_find(const session_membership *membership, uint32_t view);
/// Before the match has left view 0: the hash of its roster.
static inline uint64_t bksi_membership_roster(const session_membership *membership)
{
    return membership->views[0].hash;
}
/// The oldest view that is kept.
uint32_t bksi_membership_oldest(const session_membership *membership);

/// Bits of those in the newest view.
static inline uint32_t bksi_membership_now(const session_membership *membership)
{
    return membership->views[membership->view % BKSI_GONE_VIEWS_MAX].members;
}
/// Whether no more inputs of a peer are taken until the next view.
static inline bool bksi_membership_is_frozen(const session_membership *membership, uint32_t peer)
{
    return (membership->frozen >> peer & 1) != 0;
}
/// The lowest peer in the view: the host.
uint32_t bksi_membership_host(const session_membership *membership);
/// The lowest peer in the view whose inputs are taken: the host, or once we agree that it leaves
/// the one that follows it.
uint32_t bksi_membership_speaker(const session_membership *membership);
/// The first tick without a peer, BKS_TICK_NONE while it is in.
bks_tick bksi_membership_end(const session_membership *membership, uint32_t peer);
/// Whether a peer must be sent the next view.
bool bksi_membership_is_behind(const session_membership *membership, uint32_t peer);
/// Whether a hash of this tick sent in an older view is still true in ours.
bool bksi_membership_agrees_on(const session_membership *membership, uint32_t view, bks_tick tick);
/// Whether a view with this number and hash may be ours: it is not when another one has the number.
bool bksi_membership_knows(const session_membership *membership, uint32_t view, uint32_t hash);
/// @param view  one that is kept
bksi_view_name bksi_membership_name(const session_membership *membership, uint32_t view);
/// The first view in which another log differs from ours, of those that both have, or the first
/// beyond ours without us.
/// @return a view of the message, or the one after its newest: it does not part from ours
uint32_t bksi_membership_parting(const session_membership *membership, const bksi_gone *message,
                                 uint32_t self);
bool bksi_membership_is_ours(const session_membership *membership, const bksi_view_name *name);

#endif
