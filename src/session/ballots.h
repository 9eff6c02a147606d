// SPDX-License-Identifier: MIT

/// @file ballots.h
/// Who is to go. ballots.c alone writes this; others ask.

#ifndef BKSI_BALLOTS_H
#define BKSI_BALLOTS_H

#include "backstitch/session.h"

#include "base/bits.h"
#include "session/membership.h"

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
    uint32_t answered;            ///< bits: who answered it
    bks_tick best[BKS_PEERS_MAX]; ///< by leaver: the highest head reported
    uint32_t mute;                ///< bits: who live, but left our ballot unanswered
} session_ballots;

/// Begin or go on with a ballot if we are the host, or tell the host whose inputs we no longer
/// take.
/// @param next  receives the next view
/// @return whether it is decided
bool bksi_ballots_update(bks_session *session, next_view *next);
/// The next view is entered, without these.
void bksi_ballots_reset(session_ballots *ballots, uint32_t leavers);
/// Whose answers our ballot needs.
uint32_t bksi_ballots_voters(const bks_session *session);
bool bksi_ballots_receive_propose(bks_session *session, uint32_t from, bksi_bit_reader *reader);
/// @param is_decided  whether the next view is
bool bksi_ballots_receive_answer(bks_session *session, uint32_t from, bksi_bit_reader *reader,
                                 bool *is_decided, next_view *next);
void bksi_ballots_write_propose(const bks_session *session, bksi_bit_writer *writer);
void bksi_ballots_write_answer(bks_session *session, uint32_t to, bksi_bit_writer *writer);

#endif
