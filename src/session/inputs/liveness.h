// SPDX-License-Identifier: MIT

/// @file liveness.h
/// Liveness of peers: peers that are heard, directly or carried, and the silence of the others.
/// Only liveness.c changes session_liveness; other files use its functions.

#ifndef BKSI_LIVENESS_H
#define BKSI_LIVENESS_H

#include "session/common/common.h"
#include "session/common/game_speed.h"
#include "wire/input_message.h"

typedef struct session_liveness_peer {
    uint64_t heard_ns; ///< awake time at which the newest valid packet of the peer itself came
    /// Time at which the newest valid packet of the peer itself came, set only during the match.
    uint64_t came_ns;
    uint64_t echo_ns;  ///< awake time of the peer's newest echo
    bool is_new;       ///< no packet of the peer came since the first tick
    bool is_told;      ///< the log says that drop_after_ms is too short for the line to the peer
    bool hears_us;     ///< the peer echoed a recent packet of ours
    bool is_silent;    ///< nothing of the peer was heard for notify_after_ms
    bool is_lost;      ///< the loss of the peer was reported as an event
    bool breaks_rules; ///< the peer sent what no honest peer sends, and counts as silent since
} session_liveness_peer;

typedef struct session_liveness {
    uint64_t fine_ns; ///< time after its last packet for which a peer counts as heard well
    session_liveness_peer peers[BKS_PEERS_MAX];
} session_liveness;

void bksi_liveness_init(session_liveness *liveness, uint32_t tick_rate_hz);
void bksi_liveness_start(session_liveness *liveness, const session_common *common);
/// Report peers that have fallen silent.
/// @param awaited  bits: peers from which more packets must come
/// @return bits of the peers that have been silent for bksi_liveness_patience_ns()
uint32_t bksi_liveness_update(session_liveness *liveness, session_events *events,
                              const session_common *common, uint32_t awaited);
/// Reset what is known of a peer's number, because another peer gets that number.
void bksi_liveness_forget(session_liveness *liveness, uint32_t peer);
/// Note that a peer was heard before the match.
void bksi_liveness_greeted(session_liveness *liveness, const session_common *common, uint32_t peer);
/// Note that a packet of the peer itself came.
void bksi_liveness_heard(session_liveness *liveness, session_events *events,
                         const session_common *common, uint32_t peer);
/// Process the echo of an INPUT or BULK, which shows whether its sender hears us.
/// @param echo  echo of the message; NULL: it has none
void bksi_liveness_echo(session_liveness *liveness, const session_common *common, uint32_t peer,
                        const bksi_echo *echo);
/// Count a peer as silent from now on, whatever it sends, because it breaks the rules in a way that
/// no honest peer can: so it is dropped as one that sends nothing. Report it once.
/// @param what  what the peer does: "sends …"
void bksi_liveness_accuse(session_liveness *liveness, session_events *events,
                          const session_common *common, uint32_t peer, const char *what);
/// Find those of `peers` that we drop as the host because they break the rules, as bits.
uint32_t bksi_liveness_find_accused(const session_liveness *liveness, const session_common *common,
                                    uint32_t peers);
/// Count the silence of peers anew, because a pause that excused it has ended.
void bksi_liveness_end_excuses(session_liveness *liveness, const session_common *common,
                               uint32_t peers);
/// Forget that a peer is silent, because it has left the match.
void bksi_liveness_drop(session_liveness *liveness, uint32_t peer);
/// Find those of `peers` that were heard recently, sent no goodbye and are not on another side of a
/// split, as bits. Such peers are not dropped for silence.
uint32_t bksi_liveness_here(const session_liveness *liveness, const session_common *common,
                            uint32_t peers);
/// Find those of `peers` that have been silent for bksi_liveness_patience_ns(), as bits. Raise an
/// event once for each of them, except for those of `known`, which leave anyway.
uint32_t bksi_liveness_find_lost(session_liveness *liveness, session_events *events,
                                 const session_common *common, uint32_t peers, uint32_t known);

/// Get the least silence that shows that a peer is lost, and not only some of its packets.
uint64_t bksi_liveness_line_needs_ns(const session_common *common, uint32_t peer);
/// Get the silence after which a peer is lost: drop_after_ms, or what its line needs if that is
/// longer; the longest pause for a peer that a pause excuses.
uint64_t bksi_liveness_patience_ns(const session_liveness *liveness, const session_common *common,
                                   uint32_t peer);
/// Find the other members that are silent for so long that only a pause may excuse them, as bits.
uint32_t bksi_liveness_unheard(const session_liveness *liveness, const session_common *common);
/// Get the silence after which every other member is lost.
uint64_t bksi_liveness_longest_patience_ns(const session_liveness *liveness,
                                           const session_common *common);
/// Log, once for each peer before the start and once after it, that drop_after_ms is shorter than
/// the peer's line needs. Before the start wait until the round trip is measured.
void bksi_liveness_tell_raised(session_liveness *liveness, const session_common *common,
                               uint32_t peer);

/// Get the awake time since a peer was heard.
static inline uint64_t bksi_liveness_silence_ns(const session_liveness *liveness,
                                                const session_common *common, uint32_t peer)
{
    return common->awake_ns - liveness->peers[peer].heard_ns;
}

/// Return true if a peer was heard in the last `span_ns`. After a freeze of our process nothing
/// shows that a peer is still there until it is heard again.
static inline bool bksi_liveness_is_there(const session_liveness *liveness,
                                          const session_common *common, uint32_t peer,
                                          uint64_t span_ns)
{
    return common->now_ns - liveness->peers[peer].came_ns < span_ns;
}

/// Return true if packets pass both ways between a peer and us, and we accept its inputs.
static inline bool bksi_liveness_is_fine(const session_liveness *liveness,
                                         const session_common *common, uint32_t index)
{
    const session_liveness_peer *peer = &liveness->peers[index];
    return common->awake_ns - peer->heard_ns <= liveness->fine_ns && peer->hears_us &&
           !bksi_membership_is_frozen(&common->membership, index);
}

#endif
