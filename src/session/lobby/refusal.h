// SPDX-License-Identifier: MIT

/// @file refusal.h
/// Refusal: the reason why there is no match, sent to the other peer and reported to our player.
/// Only refusal.c changes session_refusal; other files use its functions.

#ifndef BKSI_REFUSAL_H
#define BKSI_REFUSAL_H

#include "net/guard.h"
#include "session/lobby/start.h"
#include "wire/join.h"

typedef struct session_refusal {
    bool is_owed;
    bksi_refuse message; ///< newest refusal
    bksi_channel to;
    /// Time of the last event about a refused guest, or at which we began to repeat our refusal.
    uint64_t refused_ns;
    bool has_lost_host;                   ///< guest: the host fell silent
    bool is_repeated;                     ///< we could not make the state, and repeat the refusal
    char problem[BKSI_REFUSE_TEXT_BYTES]; ///< why the state could not be made; empty: unknown
} session_refusal;

/// Find the reason why a guest gets no seat.
/// @param seat  receives the guest's first seat, if it gets one
/// @return a bksi_mismatch or bksi_refusal; 0: the guest gets a seat
uint32_t bksi_refusal_find(const session_common *common, const bksi_join *join, int32_t *seat);
/// Host: refuse a guest, and report it to the player.
/// @param reason  a bksi_mismatch or bksi_refusal
void bksi_refusal_of_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel to, const bksi_join *join, uint32_t reason);
/// Get the reason that a host gives to guests after the match failed before the start.
uint32_t bksi_refusal_reason(const session_start *start);
/// Report that we cannot make the state of the first tick.
void bksi_refusal_of_match(session_refusal *refusal, session_phase *phase, session_events *events,
                           uint64_t now_ns, const char *problem);
/// Report that a peer left the lobby.
/// @param how  "left" or "fell silent"
void bksi_refusal_left(session_events *events, uint32_t peer, const char *how);
/// Guest: end because the host has been silent for too long.
/// @param patience_ns  silence after which the host is lost
void bksi_refusal_of_silent_host(session_refusal *refusal, session_phase *phase,
                                 session_goodbyes *goodbyes, session_events *events,
                                 const session_common *common, uint64_t patience_ns);
/// Begin to repeat the refusal, after the match failed before the start.
void bksi_refusal_begin(session_refusal *refusal, uint64_t now_ns);
/// Repeat the refusal, unless it was answered or is old.
/// @param patience_ns  time for which it is repeated
void bksi_refusal_repeat(session_refusal *refusal, const session_common *common,
                         const session_start *start, uint64_t patience_ns);
/// Guest: handle a refusal of the host. If it answers our own refusal, the host has heard us.
void bksi_refusal_of_host(session_refusal *refusal, session_start *start, session_phase *phase,
                          session_events *events, const session_common *common,
                          const bksi_refuse *refuse);
/// Host: handle the refusal of a guest that cannot play this match. The guest repeats its refusal
/// until it is answered.
/// @param is_busy  true if no guest can be removed now, so the guest is not answered
/// @return true if the guest must be removed
bool bksi_refusal_by_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel from, bool is_busy, const bksi_refuse *refuse);
size_t bksi_refusal_send(session_refusal *refusal, bksi_channel *to, uint8_t *body);

#endif
