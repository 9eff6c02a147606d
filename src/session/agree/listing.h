// SPDX-License-Identifier: MIT

/// @file listing.h
/// What is listed of a meeting that has ended: whose state was repaired, since when, and with whose
/// bytes, by what all have said in it.

#ifndef BKSI_LISTING_H
#define BKSI_LISTING_H

#include "backstitch/session.h"
#include "wire/meet_message.h"

typedef struct bksi_listing {
    const bksi_meet_message *const *said; ///< by peer
    bks_tick tick;
    bks_tick first; ///< of the match
    uint32_t all;   ///< bits: the peers of the match, also those that have left it
    uint32_t self;
    uint32_t decided;  ///< bits: members whose words decided it; those of all of them are here
    uint32_t repaired; ///< bits: those of them that were repaired, or healed by themselves, not all
    uint32_t members;  ///< bits: those still there
    bool have_left;    ///< members were lost since the meeting began
    uint32_t before;   ///< for which it had ended when it said so; BKS_PEERS_MAX: for none
} bksi_listing;

/// The first tick at which a peer was not as the others, as far as they and it say, but none that
/// two members, or one of two, found the same; where they differed before the tick and no member
/// has seen that, the first after those.
bks_tick bksi_listing_since(const bksi_listing *listing, uint32_t peer);

/// A member was repaired, or healed by itself: that is so where it said that it had the state of
/// the others. Where it says that its bytes are from none of them, the lowest is named. The span
/// begins no later than we have seen it ourselves.
bks_repair bksi_listing_repair(const bksi_listing *listing, uint32_t peer);

/// Whether we have worked out the same as the one for which it has ended before us, or members were
/// lost since the meeting began, so that it knows better.
bool bksi_listing_is_certain(const bksi_listing *listing);

/// All repairs: what we have worked out. Of members that are gone, and where members were lost of
/// all, it is what the one lists for which it has ended before us.
/// @param out  receives them by peer, room for BKS_PEERS_MAX
/// @return how many
uint32_t bksi_listing_all(const bksi_listing *listing, bks_repair *out);

/// So say it to others.
void bksi_listing_note(bksi_meet_message *own, const bks_repair *repairs, uint32_t count);

#endif
