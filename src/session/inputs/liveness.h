// SPDX-License-Identifier: MIT

/// @file liveness.h
/// Which peers are heard, straight or carried, and for how long others were not. liveness.c alone
/// writes this; others ask.

#ifndef BKSI_LIVENESS_H
#define BKSI_LIVENESS_H

#include "session/common/common.h"
#include "wire/input_message.h"

typedef struct session_liveness_peer {
    uint64_t heard_ns;      ///< when anything sound last came from it itself
    uint64_t last_alive_ns; ///< the same, but during the match alone, and on our time awake
    uint64_t echo_ns;       ///< when an echo last came from it
    bool hears_us;          ///< it echoed a packet of ours that came a moment ago
    bool is_silent;         ///< not heard for notify_after_ms
    bool is_lost;           ///< reported as an event
} session_liveness_peer;

typedef struct session_liveness {
    uint64_t updated_ns; ///< the last update
    uint64_t awake_ns;   ///< time that we were there to hear something, so to speak
    uint64_t fine_ns;    ///< a peer that was heard no longer ago than this is heard well
    session_liveness_peer peers[BKS_PEERS_MAX];
} session_liveness;

void bksi_liveness_init(session_liveness *liveness, uint32_t tick_rate_hz);
void bksi_liveness_start(session_liveness *liveness, const session_common *common);
/// Report peers that have fallen silent.
/// @param awaited  bits: of whom more is to come
/// @return bits of those that have been silent for drop_after_ms
uint32_t bksi_liveness_update(session_liveness *liveness, session_events *events,
                              const session_common *common, uint32_t awaited);
/// Before the match: a peer was heard.
void bksi_liveness_greeted(session_liveness *liveness, uint32_t peer, uint64_t now_ns);
/// A peer itself was heard.
void bksi_liveness_heard(session_liveness *liveness, session_events *events,
                         const session_common *common, uint32_t peer);
/// An INPUT or a BULK says whether its sender hears us.
/// @param echo  NULL: it has none
void bksi_liveness_echo(session_liveness *liveness, const session_common *common, uint32_t peer,
                        const bksi_echo *echo);
/// A peer is out: whether it is silent matters no more.
void bksi_liveness_drop(session_liveness *liveness, uint32_t peer);
/// How long a peer has not been heard.
uint64_t bksi_liveness_unheard_ns(const session_liveness *liveness, const session_common *common,
                                  uint32_t peer);
/// Bits of those of `peers` that were heard not long ago, and did not say that they play without
/// us: they are not let go for their silence.
uint32_t bksi_liveness_here(const session_liveness *liveness, const session_common *common,
                            uint32_t peers);
/// Bits of those of `peers` that have been silent for drop_after_ms; reported once each unless it
/// is `known` that they go.
uint32_t bksi_liveness_find_lost(session_liveness *liveness, session_events *events,
                                 const session_common *common, uint32_t peers, uint32_t known);

/// How long a peer has not been heard, of the time that we were there to hear something.
static inline uint64_t bksi_liveness_silence_ns(const session_liveness *liveness, uint32_t peer)
{
    return liveness->awake_ns - liveness->peers[peer].last_alive_ns;
}

/// Whether packets go both ways between a peer and us, and its inputs are taken.
static inline bool bksi_liveness_is_fine(const session_liveness *liveness,
                                         const session_common *common, uint32_t index)
{
    const session_liveness_peer *peer = &liveness->peers[index];
    return common->now_ns - peer->heard_ns <= liveness->fine_ns && peer->hears_us &&
           !bksi_membership_is_frozen(&common->membership, index);
}

#endif
