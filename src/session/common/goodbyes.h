// SPDX-License-Identifier: MIT

/// @file goodbyes.h
/// Goodbyes: peers that have every tick, peers that have left, and goodbyes that must be sent. Only
/// goodbyes.c changes session_goodbyes; other files use its functions.

#ifndef BKSI_GOODBYES_H
#define BKSI_GOODBYES_H

#include "backstitch/session.h"

#include "base/bytes.h"

/// Goodbyes of peers. All masks are bits by peer.
typedef struct session_goodbyes {
    bool has_left;       ///< we left, by bks_session_leave() or because the game failed
    uint64_t left_ns;    ///< time at which we left
    uint32_t complete;   ///< peers that have every tick, by their own report; also ourselves
    uint32_t done;       ///< peers that need nothing more of us
    uint32_t quit;       ///< peers that left by a goodbye, or are on the smaller side of a split
    uint32_t left;       ///< those of `quit` that said goodbye themselves, so they do not play on
    uint32_t owes_bye;   ///< peers that must be sent a goodbye
    uint32_t owes_heard; ///< peers that must be sent the answer to their goodbye
} session_goodbyes;

/// Handle a BYE.
/// @param phase         phase of the match
/// @param has_all       true if we have the peer's inputs of every tick
/// @param out_has_ours  receives true if the peer has all our inputs
/// @return false if the message is malformed or may not come in this phase
bool bksi_goodbyes_receive(session_goodbyes *goodbyes, uint32_t peer, bks_phase phase, bool has_all,
                           bksi_byte_reader *reader, bool *out_has_ours);
/// Write a BYE to a peer: the answer to its goodbye, or our own goodbye.
/// @param is_whole  true if the match has ended, we have every tick of it, and the peer is in the
///                  newest view
void bksi_goodbyes_write(session_goodbyes *goodbyes, uint32_t peer, bool is_whole,
                         bksi_byte_writer *writer);
/// Leave the match, and send a goodbye to `peers` until they answer.
void bksi_goodbyes_leave(session_goodbyes *goodbyes, uint32_t peers, uint64_t now_ns);
/// Schedule a goodbye to `peers`, and to no others.
void bksi_goodbyes_owe(session_goodbyes *goodbyes, uint32_t peers);
/// Schedule a goodbye to `peers`, in addition to the goodbyes that are already scheduled.
void bksi_goodbyes_repeat(session_goodbyes *goodbyes, uint32_t peers);
/// Schedule or cancel the goodbye to one peer.
void bksi_goodbyes_set(session_goodbyes *goodbyes, uint32_t peer, bool is_owed);
/// Treat `peers` as needing nothing more of us, so that we no longer wait for them.
void bksi_goodbyes_give_up(session_goodbyes *goodbyes, uint32_t peers);
/// Record that `peers` left, or are on the smaller side of a split.
void bksi_goodbyes_quit(session_goodbyes *goodbyes, uint32_t peers);
/// Forget that a peer left or is on the smaller side of a split, because the peer plays on.
void bksi_goodbyes_forgive(session_goodbyes *goodbyes, uint32_t peer);
/// Record that a peer has every tick; also called for ourselves.
void bksi_goodbyes_complete(session_goodbyes *goodbyes, uint32_t peer);

/// Return true if we left so long ago that goodbyes are not repeated any more.
static inline bool bksi_goodbyes_are_enough(const session_goodbyes *goodbyes, uint64_t now_ns,
                                            uint64_t patience_ns)
{
    return goodbyes->has_left && now_ns - goodbyes->left_ns >= patience_ns;
}
/// Get the peers that must be sent a BYE, as bits.
static inline uint32_t bksi_goodbyes_owed(const session_goodbyes *goodbyes)
{
    return goodbyes->owes_heard | goodbyes->owes_bye;
}
static inline bool bksi_goodbyes_is_done(const session_goodbyes *goodbyes, uint32_t peer)
{
    return (goodbyes->done >> peer & 1) != 0;
}
static inline bool bksi_goodbyes_has_quit(const session_goodbyes *goodbyes, uint32_t peer)
{
    return (goodbyes->quit >> peer & 1) != 0;
}

#endif
