// SPDX-License-Identifier: MIT

/// @file feed_members.h
/// Addresses of the members of a match, as a source tells them to its watchers, and a watcher's
/// search among them for another source.

#ifndef BKSI_FEED_MEMBERS_H
#define BKSI_FEED_MEMBERS_H

#include "backstitch/net.h"

/// Most members in a list: the others of a match, and of a relay its source.
#define BKSI_FEED_MEMBERS_MAX BKS_PEERS_MAX

/// Most bytes of a list of members: hops, newest tick, and for each a length and its address.
#define BKSI_FEED_MEMBERS_BYTES_MAX \
    (5 + BKSI_FEED_MEMBERS_MAX * (1 + sizeof(((bks_address *)0)->bytes)))

/// Most sources that one search asks, so that sources which send a watcher round in a circle cost
/// little, and most addresses that never answer in all searches together, so that strangers get
/// little, too.
#define BKSI_FEED_ASKED_MAX 16u

typedef struct bksi_feed_members {
    uint32_t hops;   ///< relays from the match to the source, itself included; 0: it is a member
    bks_tick newest; ///< end of the ticks that the source has recorded
    uint32_t count;
    bks_address addresses[BKSI_FEED_MEMBERS_MAX];
} bksi_feed_members;

/// Addresses that a search has asked.
typedef struct bksi_feed_search {
    bool is_on;
    uint32_t count;
    uint32_t silent; ///< number of the first addresses in `asked`: they did not answer
    bks_address asked[BKSI_FEED_ASKED_MAX];
} bksi_feed_search;

/// Write a list.
/// @param out  room for BKSI_FEED_MEMBERS_BYTES_MAX
/// @return bytes of the list
size_t bksi_feed_members_write(const bksi_feed_members *members, uint8_t *out);

/// Read a list.
/// @return false if the bytes are wrong; the list is unchanged then
bool bksi_feed_members_read(bksi_feed_members *members, const uint8_t *bytes, size_t count);

/// Add the members that another list names, as long as there is room.
void bksi_feed_members_add(bksi_feed_members *members, const bksi_feed_members *more);

/// Return true if two lists name the same members and hops.
bool bksi_feed_members_equal(const bksi_feed_members *a, const bksi_feed_members *b);

/// Find the next member to ask. Members that `search` has asked are left out.
/// @param first  number that chooses where the search begins, so that watchers spread out
/// @return false if all have been asked
bool bksi_feed_search_next(bksi_feed_search *search, const bksi_feed_members *members,
                           uint32_t first, bks_address *out);

/// Count an address as asked.
void bksi_feed_search_asked(bksi_feed_search *search, const bks_address *address);

/// Note that an address that was asked has not answered. Later searches leave it out.
void bksi_feed_search_unanswered(bksi_feed_search *search, const bks_address *address);

/// End a search that was successful.
void bksi_feed_search_end(bksi_feed_search *search);

#endif
