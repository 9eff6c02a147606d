// SPDX-License-Identifier: MIT

/// @file checking.h
/// What peers say their hashes are, compared with ours. checking.c alone writes this; others ask.

#ifndef BKSI_CHECKING_H
#define BKSI_CHECKING_H

#include "session/common/common.h"
#include "wire/input_message.h"
#include "wire/small_messages.h"

/// Hashes kept of each peer until we have our own, a power of two.
#define REMOTE_HASHES_KEPT 256u

typedef struct session_checking_peer {
    bksi_input_hash hashes[REMOTE_HASHES_KEPT]; ///< by tick modulo length
    bool differs;                               ///< a difference was seen
    bks_tick differs_tick;                      ///< the first tick known to differ
    bks_tick same_tick;   ///< the newest up to which all is known to be the same
    bool is_reported;     ///< as an event
    bool inputs_differ;   ///< so it was reported
    uint64_t differs_ns;  ///< when it was seen
    uint32_t hashes_left; ///< HASHES still to send
    uint64_t hashes_next_ns;
    uint32_t full_hash_countdown; ///< packets until the 64 bits are due
    bks_tick agreed;              ///< the newest tick whose hashes were found the same; 0: none yet
} session_checking_peer;

typedef struct session_checking {
    session_checking_peer peers[BKS_PEERS_MAX];
    bks_tick begin;       ///< of states before it all was said: BKS_ON_DESYNC_RESYNC
    uint32_t owes_hashes; ///< bits: peers to which HASHES are still to be sent
    bool has_desynced;    ///< a difference was reported, and was not repaired since
} session_checking;

/// Our own hash of this tick, if it has one, is published: compare what others sent of it.
void bksi_checking_published(session_checking *checking, const session_common *common,
                             bks_tick tick);
/// Our newest hashes are published: report to the engine how far all agree. A peer that differs
/// agrees up to the newest tick that was the same.
void bksi_checking_agree(const session_checking *checking, const session_common *common,
                         bksi_rollback *engine);
void bksi_checking_heard(session_checking *checking, const session_common *common, uint32_t peer,
                         const bksi_input_hash *hash);
void bksi_checking_heard_many(session_checking *checking, const session_common *common,
                              session_events *events, uint32_t peer,
                              const bksi_hashes_message *message);
/// The newest tick, at most `most`, up to which a peer is known to have been as we were; the first
/// of the match, if none is.
bks_tick bksi_checking_same(const session_checking *checking, const session_common *common,
                            uint32_t peer, bks_tick most);
/// What peers sent of ticks on which a new view and the one before it do not agree is forgotten.
void bksi_checking_forget(session_checking *checking, const session_common *common);
/// Our newest published hash, to go along with inputs for a peer.
/// @param until  of no later tick
bksi_input_hash bksi_checking_fill(session_checking *checking, const session_common *common,
                                   uint32_t peer, bks_tick until);
/// Bits of the peers to which HASHES are still to be sent; whether they are due to one now.
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
/// All members have the same state at a tick, whatever was before.
void bksi_checking_repaired(session_checking *checking, const session_common *common,
                            bks_tick tick);
/// Bits of the members that were seen to differ.
uint32_t bksi_checking_seen(const session_checking *checking, const session_common *common);
/// Bits of the members that were reported to differ; of those whose states do, though their inputs
/// do not; the first tick known to.
uint32_t bksi_checking_reported(const session_checking *checking, const session_common *common);
uint32_t bksi_checking_differing(const session_checking *checking, const session_common *common);
static inline bks_tick bksi_checking_differs_at(const session_checking *checking, uint32_t peer)
{
    return checking->peers[peer].differs_tick;
}
/// The one whose state is not that of all others, of three or more.
/// @return the peer, it may be we; BKS_PEERS_MAX: there is none, or it is not known
uint32_t bksi_checking_alone(const session_checking *checking, const session_common *common);
/// The hash of a tick's state that some peers said in full, and all of those that did the same.
/// @return false when none did, or two differ
bool bksi_checking_hash_of(const session_checking *checking, uint32_t peers, bks_tick tick,
                           uint64_t *out_hash);
/// Report differences that were seen some time ago.
void bksi_checking_update(session_checking *checking, const session_common *common,
                          session_events *events);
/// The match ends: no more will come of what was seen to differ.
void bksi_checking_end(session_checking *checking, const session_common *common,
                       session_events *events);
bool bksi_checking_is_same(const bksi_tick_hash *own, const bksi_input_hash *remote);

#endif
