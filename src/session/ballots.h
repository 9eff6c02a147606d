// SPDX-License-Identifier: MIT

/// @file ballots.h
/// Which peers leave. ballots.c alone writes this; others ask.

#ifndef BKSI_BALLOTS_H
#define BKSI_BALLOTS_H

#include "base/bits.h"
#include "session/inputs.h"
#include "session/view_queue.h"

/// Ballots are ordered by number, then by peer.
typedef struct session_ballot {
    uint32_t number; ///< 0: none
    uint32_t peer;
} session_ballot;

typedef struct session_ballots {
    session_ballot promised;      ///< the highest ballot answered since the newest view
    uint32_t leavers;             ///< bits, of that ballot
    bool is_proposing;            ///< it is our own
    uint64_t proposed_ns;         ///< since when; on our time awake
    uint32_t answered;            ///< bits: peers that answered it
    bks_tick best[BKS_PEERS_MAX]; ///< by leaver: the highest head reported
    uint32_t mute;                ///< bits: live peers that left our ballot unanswered
} session_ballots;

/// Begin or continue a ballot if we are the host; else report to the host whose inputs we no longer
/// take.
/// @param next  receives the next view
/// @return whether it is decided
bool bksi_ballots_update(session_ballots *ballots, session_view_queue *queue,
                         session_common *common, session_inputs *inputs, next_view *next);
/// The next view is entered, without these.
void bksi_ballots_reset(session_ballots *ballots, uint32_t leavers);
/// Whose answers our ballot needs.
uint32_t bksi_ballots_voters(const session_ballots *ballots, const session_common *common);
bool bksi_ballots_receive_propose(session_ballots *ballots, session_view_queue *queue,
                                  session_common *common, session_inputs *inputs, uint32_t from,
                                  bksi_bit_reader *reader);
/// @param next  receives the next view, which has leavers once it is decided
bool bksi_ballots_receive_answer(session_ballots *ballots, session_view_queue *queue,
                                 session_common *common, session_inputs *inputs, uint32_t from,
                                 bksi_bit_reader *reader, next_view *next);
void bksi_ballots_write_propose(const session_ballots *ballots, const session_common *common,
                                bksi_bit_writer *writer);
void bksi_ballots_write_answer(const session_ballots *ballots, const session_common *common,
                               const session_inputs *inputs, uint32_t to, bksi_bit_writer *writer);

#endif
