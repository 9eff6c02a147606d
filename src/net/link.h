// SPDX-License-Identifier: MIT

/// @file link.h
/// What came from one peer: packet numbers (those of the seal), loss; and the smoothed round trip.

#ifndef BKSI_LINK_H
#define BKSI_LINK_H

#include "backstitch/net.h"

#include "wire/echo.h"

typedef struct bksi_link {
    bool any_received;
    uint64_t newest_number; ///< newest packet number that came
    uint64_t newest_ns;     ///< when it came
    uint64_t received;      ///< packets with a number
    bool any_echoed;
    uint64_t echoed_ns;   ///< when one was last echoed
    uint64_t echoed_came; ///< what was received by then
    uint64_t expected;    ///< packets the peer must have sent by the numbers seen
    bool has_round_trip;
    double round_trip_ns; ///< smoothed by 1/8, as TCP does (RFC 6298)
    double deviation_ns;  ///< smoothed by 1/4
} bksi_link;

/// A packet came.
/// @param is_first  the first under new keys: what came before says nothing of its number
void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint64_t now_ns);

/// Whether an echo is due: every 50 ms, but every 100 ms of more than two packets in 50 ms. Where
/// packets come slowly a line may be narrow.
bool bksi_link_owes_echo(const bksi_link *link, uint64_t now_ns);

/// What to echo of the newest packet that came. bksi_link_owes_echo() is true.
bksi_echo bksi_link_echo(bksi_link *link, uint64_t now_ns);

/// One measured round trip.
void bksi_link_measured(bksi_link *link, double round_trip_ns);

/// Share of the peer's packets that did not come, 0..1.
double bksi_link_loss(const bksi_link *link);

#endif
