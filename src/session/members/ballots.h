// SPDX-License-Identifier: MIT

/// @file ballots.h
/// Which peers leave. ballots.c alone writes this; others ask.

#ifndef BKSI_BALLOTS_H
#define BKSI_BALLOTS_H

#include "base/bits.h"
#include "session/inputs/exchange.h"
#include "session/members/view_queue.h"

/// The newest ballot of a peer. It replaces all that this peer proposed before.
typedef struct session_ballot {
    uint32_t number;  ///< counted by its proposer; 0: none
    uint32_t leavers; ///< bits; none when it names none, or we do not agree to it
    uint32_t
        dropped;  ///< bits: those of them that its proposer, the host, drops though they are heard
    uint32_t out; ///< bits: those of them that we do not hear either
    uint64_t out_ns; ///< since when that peer's ballots name such; on our time awake
} session_ballot;

typedef struct session_ballots {
    session_ballot newest[BKS_PEERS_MAX]; ///< by proposer, our own among them
    uint64_t asked_ns; ///< since when our own stands, or all agree to it; on our time awake
    bool was_closed;   ///< all agreed to it at the last update
    uint32_t known;    ///< bits: peers that know our own
    uint32_t agreed;   ///< bits: peers that agree to it
    bks_tick heads[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< how far those have whose inputs
    uint32_t dropped;                             ///< bits: whom we drop, as the host
    uint32_t closed; ///< bits: leavers that no peer takes back, for others gave us their inputs
    uint32_t mute;   ///< bits: live peers that left our ballot unanswered
} session_ballots;

/// Begin, change or take back our ballot.
/// @param next  receives the next view
/// @return whether it is decided
bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_events *events, const session_common *common,
                         session_inputs *inputs, next_view *next);
/// Find the peers whose inputs are no longer taken: those that the newest ballot of any peer names.
/// @return bits
uint32_t bksi_ballots_frozen(const session_ballots *ballots, const session_common *common);
/// As the host: a peer is to leave though it is heard.
void bksi_ballots_drop(session_ballots *ballots, uint32_t peer);
/// The next view is entered. Whom we drop and who is still in goes with the one after it.
void bksi_ballots_reset(session_ballots *ballots);
/// Whether our own ballot, or that it is taken back, is to be repeated to a peer.
bool bksi_ballots_asks(const session_ballots *ballots, const session_common *common, uint32_t peer);
/// Whether a view without these can be that of a ballot to which we agreed, or would agree, and the
/// peer that announces it may: its proposer, or another once no proposer is here. If so, none of
/// them comes back.
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

/// The peers that our own ballot names.
static inline uint32_t bksi_ballots_proposed(const session_ballots *ballots,
                                             const session_common *common)
{
    return ballots->newest[common->seats.self].leavers;
}

/// The peers that the host drops, as far as we agree.
static inline uint32_t bksi_ballots_dropped(const session_ballots *ballots,
                                            const session_common *common)
{
    return ballots->newest[bksi_membership_host(&common->membership)].dropped;
}

/// Whether there is one, as far as we agree to it.
static inline bool bksi_ballots_stand(const session_ballots *ballots)
{
    uint32_t leavers = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        leavers |= ballots->newest[i].leavers;
    }
    return leavers != 0;
}

#endif
