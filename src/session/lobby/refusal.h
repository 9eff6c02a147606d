// SPDX-License-Identifier: MIT

/// @file refusal.h
/// Why there is no match, sent to the other side and reported to ours. refusal.c alone writes this;
/// others ask.

#ifndef BKSI_REFUSAL_H
#define BKSI_REFUSAL_H

#include "net/guard.h"
#include "session/lobby/start.h"
#include "wire/join.h"

typedef struct session_refusal {
    bool is_owed;
    bksi_refuse message; ///< the newest one made
    bksi_channel to;
    uint64_t refused_ns;                  ///< when one was last reported to a player
    bool has_lost_host;                   ///< guest: it fell silent
    bool is_repeated;                     ///< we could not make the state, and say so
    char problem[BKSI_REFUSE_TEXT_BYTES]; ///< why; empty: we could, as far as is known
} session_refusal;

/// Why a guest gets no seat, a bksi_mismatch or bksi_refusal; 0 with its first seat.
uint32_t bksi_refusal_find(const session_common *common, const bksi_join *join, int32_t *seat);
/// @param reason  a bksi_mismatch or bksi_refusal
void bksi_refusal_of_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel to, const bksi_join *join, uint32_t reason);
/// What a host that has failed before the start refuses guests for.
uint32_t bksi_refusal_reason(const session_start *start);
/// We cannot make the state.
void bksi_refusal_of_match(session_refusal *refusal, session_phase *phase, session_events *events,
                           uint64_t now_ns, const char *problem);
/// A peer is in the lobby no more.
/// @param how  "left" or "fell silent"
void bksi_refusal_left(session_events *events, uint32_t peer, const char *how);
/// Guest: the host has been silent for drop_after_ms.
void bksi_refusal_of_silent_host(session_refusal *refusal, session_phase *phase,
                                 session_goodbyes *goodbyes, session_events *events,
                                 const session_common *common);
/// The match has failed before the start: say so for a while.
void bksi_refusal_begin(session_refusal *refusal, uint64_t now_ns);
/// Say it again, if it must be said.
void bksi_refusal_repeat(session_refusal *refusal, const session_common *common,
                         const session_start *start);
/// Guest: a refusal by the host came. If it answers ours, the host has heard us.
void bksi_refusal_of_host(session_refusal *refusal, session_start *start, session_phase *phase,
                          session_events *events, const session_common *common,
                          const bksi_refuse *refuse);
/// Host: a guest cannot play this match. It says so until it is answered.
/// @param is_busy  no guest can go now, so it is not answered
/// @return true if the guest is to go
bool bksi_refusal_by_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel from, bool is_busy, const bksi_refuse *refuse);
size_t bksi_refusal_send(session_refusal *refusal, bksi_channel *to, uint8_t *body);

#endif
