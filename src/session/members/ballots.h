// SPDX-License-Identifier: MIT

/// @file ballots.h
/// Ballots that remove peers. Only ballots.c changes session_ballots; other files use its
/// functions.

#ifndef BKSI_BALLOTS_H
#define BKSI_BALLOTS_H

#include "base/bits.h"
#include "session/inputs/exchange.h"
#include "session/members/view_queue.h"

/// Newest ballot of a peer, which replaces all earlier ballots of the peer.
typedef struct session_ballot {
    uint32_t number;  ///< number of the ballot, counted by its proposer; 0: no ballot
    uint32_t leavers; ///< bits: leavers; 0 if the ballot names none or we do not agree
    uint32_t dropped; ///< bits: leavers that the host drops although they are heard
    /// Leavers that we do not hear either, that the host drops, or whose inputs we already refuse,
    /// as bits.
    uint32_t out;
    uint64_t out_ns; ///< awake time since when `out` has named at least one leaver
} session_ballot;

typedef struct session_ballots {
    session_ballot newest[BKS_PEERS_MAX]; ///< newest ballot of each proposer, by peer; our own too
    /// Awake time at which our ballot last changed, or at which all peers had agreed to it.
    uint64_t asked_ns;
    bool was_closed; ///< all agreed to our ballot at the last update
    uint32_t known;  ///< bits: peers that know our ballot
    uint32_t agreed; ///< bits: peers that agree to our ballot
    /// By voter, then by peer: the voter's head of the inputs of that peer.
    bks_tick heads[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint32_t dropped; ///< bits: peers that we drop, as the host
    /// Bits: leavers that are final: others sent us their inputs, so no ballot may keep them. Also
    /// peers that must still send us such inputs.
    uint32_t closed;
    uint32_t mute; ///< bits: peers that left our ballot unanswered and have not answered since
} session_ballots;

/// Begin, change or withdraw our ballot.
/// @param next  receives the next view
/// @return true if our ballot is decided
bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_events *events, const session_common *common,
                         session_inputs *inputs, next_view *next);
/// Find the peers whose inputs are no longer accepted, because the newest ballot of some peer names
/// them.
/// @return the peers, as bits
uint32_t bksi_ballots_frozen(const session_ballots *ballots, const session_common *common);
/// Host: remove a peer although it is heard.
void bksi_ballots_drop(session_ballots *ballots, uint32_t peer);
/// Reset the ballots after a view was entered. A peer that the host drops and that is still in the
/// view leaves with the next one.
void bksi_ballots_reset(session_ballots *ballots);
/// Return true if our ballot, or its withdrawal, must be repeated to a peer.
bool bksi_ballots_asks(const session_ballots *ballots, const session_common *common, uint32_t peer);
/// Return true if a peer may announce a view without `leavers`. The view must result from a ballot
/// to which we agreed or would agree, and the peer must be that ballot's proposer, or any other
/// peer if no proposer is alive. If true, the leavers become final.
bool bksi_ballots_close(session_ballots *ballots, const session_common *common,
                        const session_inputs *inputs, uint32_t from, uint32_t leavers);
bool bksi_ballots_receive_propose(session_ballots *ballots, session_view_queue *queue,
                                  const session_common *common, session_inputs *inputs,
                                  uint32_t from, bksi_bit_reader *reader);
/// Process a peer's answer to our ballot.
/// @param next  receives the next view, which has leavers once it is decided
bool bksi_ballots_receive_answer(session_ballots *ballots, session_view_queue *queue,
                                 session_common *common, session_inputs *inputs, uint32_t from,
                                 bksi_bit_reader *reader, next_view *next);
void bksi_ballots_write_propose(const session_ballots *ballots, const session_common *common,
                                bksi_bit_writer *writer);
void bksi_ballots_write_answer(const session_ballots *ballots, const session_common *common,
                               const session_inputs *inputs, uint32_t to, bksi_bit_writer *writer);

/// Get the peers that our ballot names, as bits.
static inline uint32_t bksi_ballots_proposed(const session_ballots *ballots,
                                             const session_common *common)
{
    return ballots->newest[common->seats.self].leavers;
}

/// Get the peers that the host drops by a ballot to which we agree, as bits.
static inline uint32_t bksi_ballots_dropped(const session_ballots *ballots,
                                            const session_common *common)
{
    return ballots->newest[bksi_membership_host(&common->membership)].dropped;
}

/// Return true if we agree to some ballot.
static inline bool bksi_ballots_stand(const session_ballots *ballots)
{
    uint32_t leavers = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        leavers |= ballots->newest[i].leavers;
    }
    return leavers != 0;
}

#endif
