// SPDX-License-Identifier: MIT

/// @file checking.h
/// Comparison of peers' hashes of final ticks with ours. Only checking.c changes session_checking;
/// other files use its functions.

#ifndef BKSI_CHECKING_H
#define BKSI_CHECKING_H

#include "session/common/common.h"
#include "wire/input_message.h"
#include "wire/small_messages.h"

/// Number of hashes that are kept of each peer, to compare them once we have our own hash of the
/// tick; a power of two.
#define REMOTE_HASHES_KEPT 256u

typedef struct session_checking_peer {
    /// Hashes that the peer sent, by tick modulo REMOTE_HASHES_KEPT.
    bksi_input_hash hashes[REMOTE_HASHES_KEPT];
    bool differs;          ///< a hash of the peer was seen to differ from ours
    bks_tick differs_tick; ///< first tick known to differ
    /// Newest tick of the next HASHES to the peer; if it is `same_tick` or earlier, use
    /// differs_tick.
    bks_tick next_hash;
    bks_tick same_tick;   ///< newest tick up to which the peer is known to equal us
    bool is_reported;     ///< the difference was reported as an event
    bool is_liar;         ///< its hashes were false in a match whose states were equal: ignore them
    bool inputs_differ;   ///< the event reported that the inputs differ
    uint64_t differs_ns;  ///< time at which the peer was first seen to differ
    uint32_t hashes_left; ///< copies of message HASHES still to be sent to the peer
    uint64_t hashes_next_ns;
    uint32_t full_hash_countdown; ///< number of packets before the next one with the full hash

    /// Newest tick at which the peer's hashes and ours were found equal; 0: none.
    bks_tick agreed;
} session_checking_peer;

typedef struct session_checking {
    session_checking_peer peers[BKS_PEERS_MAX];
    /// First tick that is compared: the tick of the last repair, because all earlier differences
    /// are repaired.
    bks_tick begin;
    uint32_t owes_hashes; ///< bits: peers that must be sent HASHES
    bool has_desynced;    ///< a difference was reported and has not been repaired since
} session_checking;

/// Compare our hash of a tick, which has just been published, with the hashes that other peers sent
/// of it.
void bksi_checking_published(session_checking *checking, const session_common *common,
                             bks_tick tick);
/// Tell the engine up to which tick all peers agree. A peer that differs agrees up to the newest
/// tick at which it equalled us.
void bksi_checking_agree(const session_checking *checking, const session_common *common,
                         bksi_rollback *engine);
void bksi_checking_heard(session_checking *checking, const session_common *common, uint32_t peer,
                         const bksi_input_hash *hash);
void bksi_checking_heard_many(session_checking *checking, const session_common *common,
                              session_events *events, uint32_t peer,
                              const bksi_hashes_message *message);
/// Get the newest tick, at most `most`, up to which a peer is known to have equalled us; the first
/// tick of the match if no such tick is known.
bks_tick bksi_checking_same(const session_checking *checking, const session_common *common,
                            uint32_t peer, bks_tick most);
/// Forget the hashes that peers sent of ticks that the new view has changed: with the previous view
/// these ticks had inputs of a leaver.
void bksi_checking_forget(session_checking *checking, const session_common *common);
/// Get our newest published hash, for an INPUT to a peer.
/// @param until  latest tick whose hash may be sent
bksi_input_hash bksi_checking_fill(session_checking *checking, const session_common *common,
                                   uint32_t peer, bks_tick until);
/// Get the peers that must be sent HASHES, as bits.
static inline uint32_t bksi_checking_peers(const session_checking *checking)
{
    return checking->owes_hashes;
}
static inline bool bksi_checking_owes_hashes(const session_checking *checking,
                                             const session_common *common, uint32_t peer)
{
    return checking->peers[peer].hashes_left > 0 &&
           common->now_ns >= checking->peers[peer].hashes_next_ns;
}
void bksi_checking_write_hashes(session_checking *checking, const session_common *common,
                                uint32_t peer, bksi_byte_writer *writer);
/// Restart the comparison of hashes at a tick at which all members have the same state again.
/// @param never_differed  all members had the same states before, too, so the hashes of those that
///                        differ from us are false: they are ignored from now on
void bksi_checking_repaired(session_checking *checking, const session_common *common, bks_tick tick,
                            bool never_differed);
/// Get the members that were seen to differ from us, as bits.
uint32_t bksi_checking_seen(const session_checking *checking, const session_common *common);
/// Get the members that were reported to differ from us, as bits.
uint32_t bksi_checking_reported(const session_checking *checking, const session_common *common);
/// Get the members whose states were reported to differ from ours although the inputs are equal, as
/// bits.
uint32_t bksi_checking_differing(const session_checking *checking, const session_common *common);
static inline bks_tick bksi_checking_differs_at(const session_checking *checking, uint32_t peer)
{
    return checking->peers[peer].differs_tick;
}
/// Find the one peer whose state differs from that of all others, in a match of three peers or
/// more.
/// @return the peer, possibly ourselves; BKS_PEERS_MAX: no peer differs from all others, or it is
///   not known which
uint32_t bksi_checking_alone(const session_checking *checking, const session_common *common);
/// Get the full hash of a tick's state that the peers of a mask sent, if all hashes that came are
/// equal.
/// @return false if no hash came, or two hashes differ
bool bksi_checking_hash_of(const session_checking *checking, uint32_t peers, bks_tick tick,
                           uint64_t *out_hash);
/// Report differences that were seen a second ago or more.
void bksi_checking_update(session_checking *checking, const session_common *common,
                          session_events *events);
/// Report all remaining differences, because the match ends.
void bksi_checking_end(session_checking *checking, const session_common *common,
                       session_events *events);
bool bksi_checking_is_same(const bksi_tick_hash *own, const bksi_input_hash *remote);

#endif
