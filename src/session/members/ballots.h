// SPDX-License-Identifier: MIT

/// @file ballots.h
/// Ballots that let peers go. ballots.c alone writes this; others ask.

#ifndef BKSI_BALLOTS_H
#define BKSI_BALLOTS_H

#include "base/bits.h"
#include "session/inputs/exchange.h"
#include "session/members/view_queue.h"

/// Newest ballot of a peer. It replaces all that this peer proposed before.
typedef struct session_ballot {
    uint32_t number;  ///< number, counted by its proposer; 0: none
    uint32_t leavers; ///< bits: leavers; none if it names none or we do not agree
    uint32_t dropped; ///< bits: leavers that the host drops though they are heard
    uint32_t out;     ///< bits: leavers that we do not hear either
    uint64_t out_ns;  ///< time since when its ballots name such leavers, in awake time
} session_ballot;

typedef struct session_ballots {
    session_ballot newest[BKS_PEERS_MAX]; ///< by proposer, our own among them
    uint64_t asked_ns; ///< time since when our ballot stands, or all agree to it, in awake time
    bool was_closed;   ///< all agreed to our ballot at the last update
    uint32_t known;    ///< bits: peers that know our ballot
    uint32_t agreed;   ///< bits: peers that agree to our ballot
    bks_tick heads[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< by voter, then by peer: head of the peer's
                                                  ///< inputs at the voter
    uint32_t dropped;                             ///< bits: peers that we drop, as the host
    uint32_t closed; ///< bits: leavers that nobody takes back, because others gave us their inputs
    uint32_t mute;   ///< bits: live peers that left our ballot unanswered
} session_ballots;

/// Begin, change or take back our ballot.
/// @param next  receives the next view
/// @return true if our ballot is decided
bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_events *events, const session_common *common,
                         session_inputs *inputs, next_view *next);
/// Find the peers whose inputs are no longer taken: those that the newest ballot of any peer names.
/// @return bits of the peers
uint32_t bksi_ballots_frozen(const session_ballots *ballots, const session_common *common);
/// As the host, let a peer go though it is heard.
void bksi_ballots_drop(session_ballots *ballots, uint32_t peer);
/// Begin anew in the next view. A peer that we drop and that is still in leaves with the view after
/// it.
void bksi_ballots_reset(session_ballots *ballots);
/// Return true if our ballot, or that it is taken back, must be repeated to a peer.
bool bksi_ballots_asks(const session_ballots *ballots, const session_common *common, uint32_t peer);
/// Return true, and take these leavers back no more, if a view without them can be that of a ballot
/// to which we agreed or would agree, and the peer that announces it may do so: its proposer, or
/// another once no proposer is here.
bool bksi_ballots_close(session_ballots *ballots, const session_common *common,
                        const session_inputs *inputs, uint32_t from, uint32_t leavers);
bool bksi_ballots_receive_propose(session_ballots *ballots, session_view_queue *queue,
                                  const session_common *common, session_inputs *inputs,
                                  uint32_t from, bksi_bit_reader *reader);
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

/// Get the peers that the host drops, as far as we agree, as bits.
static inline uint32_t bksi_ballots_dropped(const session_ballots *ballots,
                                            const session_common *common)
{
    return ballots->newest[bksi_membership_host(&common->membership)].dropped;
}

/// Return true if there is a ballot to which we agree.
static inline bool bksi_ballots_stand(const session_ballots *ballots)
{
    uint32_t leavers = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        leavers |= ballots->newest[i].leavers;
    }
    return leavers != 0;
}

#endif
