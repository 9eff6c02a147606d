// SPDX-License-Identifier: MIT

/// @file feed_opinions.h
/// Second opinions of a watcher: from time to time it asks another member than its source for the
/// hash of a state, so that a source which shows a match that nobody played is found out. It needs
/// no place there.

#ifndef BKSI_FEED_OPINIONS_H
#define BKSI_FEED_OPINIONS_H

#include "feed/feed_link.h"
#include "feed/feed_members.h"

/// Hash of a source and of another member.
typedef struct bksi_feed_opinion {
    bks_tick tick;
    bool agrees;
    bks_address source;
    bks_address other;
} bksi_feed_opinion;

typedef struct bksi_feed_opinions {
    bksi_feed_search search; ///< members that never answered a call
    bks_address other;       ///< member that is asked
    bksi_channel channel;    ///< channel to it, 0: none is chosen
    uint32_t turns;          ///< members that were chosen
    bool is_open;            ///< a question waits to be asked or answered
    bks_tick tick;           ///< tick of the newest question
    uint64_t hash;           ///< hash of the source
    bks_address source;      ///< source that gave the hash
    uint64_t due_ns;         ///< time from which on the member is asked
    uint64_t next_ns;        ///< time of the next packet
    bool has_news;           ///< `news` was not taken yet
    bksi_feed_opinion news;  ///< newest answer, or the first that differs
} bksi_feed_opinions;

/// Ask for a second opinion from `due_ns` on, unless a question is open.
void bksi_feed_opinions_want(bksi_feed_opinions *opinions, bks_tick tick, uint64_t hash,
                             const bks_address *source, uint64_t due_ns);

/// Choose a member, or give up the question when nobody answers, or the source no longer names the
/// member that is asked.
/// @param source  the present source, which is not asked
/// @param first   number that chooses the member, so that watchers spread out
void bksi_feed_opinions_update(bksi_feed_opinions *opinions, bksi_guard *guard,
                               const bksi_feed_members *members, const bks_address *source,
                               uint32_t first, uint64_t now_ns);

/// Write the question, if it is due.
/// @param seed  seed of the match
/// @return bytes of the packet, 0: none is due, or the guard has to call the member first
size_t bksi_feed_opinions_send(bksi_feed_opinions *opinions, bksi_guard *guard, uint64_t seed,
                               bks_address *to, uint8_t *packet, uint64_t now_ns);

/// Process a message of the member.
void bksi_feed_opinions_take(bksi_feed_opinions *opinions, const bksi_guard_message *message);

/// Forget the member that is asked if it is `member`, which becomes the source: it knows one
/// channel to us only.
void bksi_feed_opinions_leave(bksi_feed_opinions *opinions, bksi_guard *guard,
                              const bks_address *member);

#endif
