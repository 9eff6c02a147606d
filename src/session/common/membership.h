// SPDX-License-Identifier: MIT

/// @file membership.h
/// Members of the match, as a log of numbered views. The newest views are held. Each view has a
/// mask of its members, so a view could also add peers. Only membership.c changes
/// session_membership; other files use its functions.

#ifndef BKSI_MEMBERSHIP_H
#define BKSI_MEMBERSHIP_H

#include "backstitch/session.h"

#include "session/common/seats.h"
#include "wire/view_messages.h"

/// View that the match will enter next.
typedef struct next_view {
    uint32_t leavers; ///< bits: peers that leave with this view
    bks_tick ends[BKS_PEERS_MAX];
} next_view;

typedef struct session_view {
    uint32_t members;             ///< bits: members of the view
    uint32_t leavers;             ///< bits: members of the previous view that are not in this one
    bks_tick ends[BKS_PEERS_MAX]; ///< by leaver: first tick without the leaver
    uint64_t hash;                ///< hash of this view and all before it
} session_view;

typedef struct session_membership {
    session_view views[BKSI_GONE_VIEWS_MAX]; ///< by number of the view, modulo BKSI_GONE_VIEWS_MAX
    uint32_t first;                          ///< number of the view with which the log began
    uint32_t view;                           ///< number of the newest view, up to UINT16_MAX
    /// Bits: members of the newest view in which we were not the smaller side of a split, and which
    /// all its members have entered, as far as we know.
    uint32_t proven;
    uint32_t excused; ///< bits: peers that left on purpose, so they do not play on without us
    uint32_t frozen;  ///< bits: leavers of the next view, whose inputs are not taken any more
    uint32_t peer_view[BKS_PEERS_MAX]; ///< by peer: newest view that the peer was known to be in
    bks_tick ends[BKS_PEERS_MAX];      ///< by peer that has left: first tick without the peer
    uint32_t handovers;
} session_membership;

/// Begin the log with one view of this number, hash and members.
void bksi_membership_begin(session_membership *membership, uint32_t view, uint64_t hash,
                           uint32_t members);
/// Plan the next view: `leavers` leave, each at its entry of `ends`.
void bksi_membership_plan(next_view *next, uint32_t leavers, const bks_tick *ends);
/// Enter the next view.
/// @param self  our own number
void bksi_membership_enter(session_membership *membership, uint32_t self, const next_view *next);
/// Refuse further inputs of `peers`, and of no others, until the next view.
void bksi_membership_freeze(session_membership *membership, uint32_t peers);
/// Note that peers left on purpose, or by the host's will.
void bksi_membership_excuse(session_membership *membership, uint32_t peers);
/// Note that a peer is in a view.
void bksi_membership_seen(session_membership *membership, uint32_t peer, uint32_t view);

/// Find a view in our log; NULL: the view is not ours, or too old to be held.
const session_view *bksi_membership_find(const session_membership *membership, uint32_t view);
/// Get the hash of the roster. Call it only while the match is in view 0.
static inline uint64_t bksi_membership_roster(const session_membership *membership)
{
    return membership->views[0].hash;
}
/// Get the number of the oldest view that is held.
uint32_t bksi_membership_oldest(const session_membership *membership);

/// Get the members of the newest view, as bits.
static inline uint32_t bksi_membership_now(const session_membership *membership)
{
    return membership->views[membership->view % BKSI_GONE_VIEWS_MAX].members;
}
/// Return true if no more inputs of a peer are accepted until the next view.
static inline bool bksi_membership_is_frozen(const session_membership *membership, uint32_t peer)
{
    return (membership->frozen >> peer & 1) != 0;
}
/// Get the host: the lowest peer in the view.
uint32_t bksi_membership_host(const session_membership *membership);
/// Get the lowest peer in the view whose inputs are accepted: the host, or the next one after it
/// once we agree that the host leaves.
uint32_t bksi_membership_speaker(const session_membership *membership);
/// Return true if we may be the smaller side of a split: the other peers are more than we, or as
/// many and the lowest peer is among them. They may play on. At most one side gets false, so at
/// most one side plays on. The other peers are those in `proven`: members of the newest view that
/// all its members entered and in which we were no minority. Members of a later view that some
/// member never entered may be on another side, and what remains of a minority stays a minority.
bool bksi_membership_is_minority(const session_membership *membership);
/// Get the first tick without a peer; BKS_TICK_NONE while the peer is in the view.
bks_tick bksi_membership_end(const session_membership *membership, uint32_t peer);
/// Return true if a peer must be sent COMMIT, because it may not be in our newest view yet.
bool bksi_membership_is_behind(const session_membership *membership, uint32_t peer);
/// Return true if a hash that was sent in the older view `view` can be compared with ours of the
/// same tick: no view since then has ended a peer's inputs before that tick.
bool bksi_membership_agrees_on(const session_membership *membership, uint32_t view, bks_tick tick);
/// Return true if a view with this number and hash may be ours; false if our view with that number
/// has another hash.
bool bksi_membership_knows(const session_membership *membership, uint32_t view, uint32_t hash);
/// Get the name of a view as messages carry it.
/// @param view  number of a view that is held
bksi_view_name bksi_membership_name(const session_membership *membership, uint32_t view);
/// Compare the log of a GONE message with ours. Find the first view that both logs have and in
/// which they differ; if there is none, the first view beyond our log that does not include us.
/// @return number of a view of the message; the number after its newest view: the logs agree
uint32_t bksi_membership_parting(const session_membership *membership, const bksi_gone *message,
                                 uint32_t self);
bool bksi_membership_is_ours(const session_membership *membership, const bksi_view_name *name);
/// Return true if we have already entered the view that a COMMIT announces; we may have entered
/// newer views since.
bool bksi_membership_has_entered(const session_membership *membership, const bksi_commit *commit);

#endif
