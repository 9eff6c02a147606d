// SPDX-License-Identifier: MIT

/// @file lobby_messages.h
/// Messages of the lobby that must be sent, their repeats, and their contents. Only
/// lobby_messages.c changes session_outbox; other files read it.

#ifndef BKSI_LOBBY_MESSAGES_H
#define BKSI_LOBBY_MESSAGES_H

#include "base/bytes.h"
#include "session/lobby/start.h"
#include "wire/roster.h"

/// Messages that must be sent. All masks are bits by peer.
typedef struct session_outbox {
    bksi_repeat repeat; ///< repeats of all unanswered messages
    bool is_held;       ///< nothing is sent before the next update, which follows at once
    bool join;          ///< guest: JOIN must be sent to the host
    uint32_t links;     ///< bits: peers that must be sent a LINK
    uint32_t greeted;   ///< bits: peers that were sent a LINK since all are known
    uint32_t rosters;   ///< host: bits: peers that must be sent a ROSTER
    uint64_t roster_ns[BKS_PEERS_MAX]; ///< time of the last ROSTER to each peer
    uint32_t change;                   ///< number of the roster's newest change
    bksi_channel heard;                ///< channel whose goodbye must be answered; 0: none
} session_outbox;

/// Restart the repeats, because there is something new to send.
void bksi_outbox_begin(session_outbox *outbox, uint64_t now_ns);
/// Return true if all unanswered messages must be repeated now, and begin the gap to the next
/// repeat.
bool bksi_outbox_repeat(session_outbox *outbox, uint64_t now_ns);
/// Schedule the message that tells others of our changed state: as a guest the JOIN to the host, as
/// a host the ROSTER to all guests.
void bksi_outbox_say_news(session_outbox *outbox, const session_common *common);
/// Host: give a change of the roster its number, and schedule the roster to `peers`.
void bksi_outbox_change_roster(session_outbox *outbox, uint32_t peers);
/// Guest: store the number of the roster that the host sent.
void bksi_outbox_follow_roster(session_outbox *outbox, uint32_t change);
void bksi_outbox_owe_join(session_outbox *outbox);
void bksi_outbox_owe_links(session_outbox *outbox, uint32_t peers);
/// Schedule the first LINK with the complete roster to each of `peers`.
void bksi_outbox_owe_first_links(session_outbox *outbox, uint32_t peers);
/// Set whether all messages wait for the next update. They wait after long work, because messages
/// carry the time of the update, which is then out of date.
void bksi_outbox_hold(session_outbox *outbox, bool is_held);
/// Repeat all unanswered messages soon, because a peer is about to count as lost.
void bksi_outbox_hurry(session_outbox *outbox, uint64_t now_ns);
void bksi_outbox_owe_rosters(session_outbox *outbox, uint32_t peers);
/// Schedule a ROSTER to a guest that repeats its JOIN.
void bksi_outbox_owe_answer(session_outbox *outbox, uint32_t peer, uint64_t now_ns);
void bksi_outbox_owe_heard(session_outbox *outbox, bksi_channel to);
/// Return true if a JOIN, LINK or ROSTER (by the function's name) must be sent, and mark it as
/// sent.
bool bksi_outbox_take_join(session_outbox *outbox);
bool bksi_outbox_take_link(session_outbox *outbox, uint32_t peer);
bool bksi_outbox_take_roster(session_outbox *outbox, uint32_t peer, uint64_t now_ns);
/// Write the answer to a goodbye, if it is due.
bool bksi_outbox_write_heard(session_outbox *outbox, bksi_channel *to, uint32_t *type,
                             bksi_byte_writer *writer);

/// Get the peers that must be sent a LINK or ROSTER, as bits.
static inline uint32_t bksi_outbox_peers(const session_outbox *outbox)
{
    return outbox->links | outbox->rosters;
}
static inline bool bksi_outbox_owes_any(const session_outbox *outbox)
{
    return outbox->join || bksi_outbox_peers(outbox) != 0 || outbox->heard != 0;
}
/// Get the time at which a message must be sent; a time up to `now_ns` means at once.
static inline uint64_t bksi_outbox_wake(const session_outbox *outbox)
{
    return bksi_outbox_owes_any(outbox) ? 0 : outbox->repeat.next_ns;
}

/// Write a ROSTER to a guest.
/// @param start_ns  time of the first tick, once it is set
/// @param change    number of the roster's newest change
void bksi_lobby_write_roster(const session_common *common, const session_start *start,
                             uint64_t start_ns, uint32_t change, uint32_t index,
                             bksi_byte_writer *writer);
/// Write a JOIN to the host.
/// @param is_ready  true if we have the state of the first tick and reach all others
void bksi_lobby_write_join(const session_common *common, const session_start *start, bool is_ready,
                           bksi_byte_writer *writer);
/// Guest: return true if a roster has us in it, and fits the state if we have made one.
bool bksi_lobby_roster_fits(const session_common *common, const session_start *start,
                            const bksi_roster_message *roster);

#endif
