// SPDX-License-Identifier: MIT

/// @file link.h
/// What is known of the way to one peer: packet numbers (those of the seal), round trip, loss.

#ifndef BKSI_LINK_H
#define BKSI_LINK_H

#include "backstitch/net.h"

/// Send times kept, by packet number: more than a second's packets, a power of two.
#define BKSI_LINK_SENT_KEPT 256u

typedef struct bksi_link {
    uint64_t sent_ns[BKSI_LINK_SENT_KEPT];
    uint64_t sent; ///< one above the number of the newest packet sent
    bool any_received;
    uint64_t newest_number; ///< newest packet number that came
    uint64_t newest_ns;     ///< when it came
    uint64_t received;      ///< packets with a number
    uint64_t expected;      ///< packets the peer must have sent by the numbers seen
    bool has_round_trip;
    double round_trip_ns; ///< smoothed by 1/8, as TCP does (RFC 6298)
    double deviation_ns;  ///< smoothed by 1/4
} bksi_link;

/// A packet goes out. Numbers rise by one, from 0 on after new keys.
void bksi_link_sent(bksi_link *link, uint64_t number, uint64_t now_ns);

/// A packet came.
/// @param is_first  the first under new keys: what came before says nothing of its number
void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint64_t now_ns);

/// What to echo: the newest number that came and how long ago, in units of `unit_ns`, 255 at most.
/// @return false when nothing came yet
bool bksi_link_echo(const bksi_link *link, uint64_t now_ns, uint64_t unit_ns, uint8_t *number,
                    uint8_t *hold);

/// The peer echoed our packet `number` (lowest 8 bits) after holding it `hold_ns`.
void bksi_link_echoed(bksi_link *link, uint8_t number, uint64_t hold_ns, uint64_t now_ns);

/// One measured round trip.
void bksi_link_measured(bksi_link *link, double round_trip_ns);

/// Share of the peer's packets that did not come, 0..1.
double bksi_link_loss(const bksi_link *link);

#endif
