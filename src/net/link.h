// SPDX-License-Identifier: MIT

/// @file link.h
/// What came from one peer: packet numbers (those of the seal), loss; and the smoothed round trip.

#ifndef BKSI_LINK_H
#define BKSI_LINK_H

#include "backstitch/net.h"

#include "wire/small_messages.h"

/// A packet that came.
typedef struct bksi_link_arrival {
    uint64_t number;
    uint64_t came_ns;
    uint64_t received; ///< packets by then
} bksi_link_arrival;

typedef struct bksi_link {
    bool any_received;
    uint64_t newest_number;   ///< newest packet number that came
    bksi_link_arrival newest; ///< of those that took a way of their own
    uint32_t way;             ///< that the last one of these took
    bool owes_other;          ///< one is to be echoed though newer ones come:
    bksi_link_arrival other;
    bksi_link_arrival mark; ///< the newest number, half a second ago at most
    uint64_t stale_below;   ///< the newest number, half a second ago at least
    uint64_t received;      ///< packets with a number
    bool any_echoed;
    uint64_t echoed_ns;   ///< when one was last echoed
    uint64_t echoed_came; ///< what was received by then
    uint64_t expected;    ///< packets the peer must have sent by the numbers seen, less probes:
    uint64_t probed_ns;   ///< until when lost ones are taken for probes of the straight way
    bool has_round_trip;
    double round_trip_ns; ///< smoothed by 1/8, as TCP does (RFC 6298)
    double deviation_ns;  ///< smoothed by 1/4
    double least_trip_ns; ///< the shortest one
} bksi_link;

/// No way of its own: it came straight because it carries others.
#define BKSI_ROUTE_OF_OTHERS UINT32_MAX

/// A packet came.
/// @param is_first  the first under new keys: what came before says nothing of its number
/// @param way       that it took: any number that differs by way, 0: straight.
/// BKSI_ROUTE_OF_OTHERS: it
///                  is not echoed, for it says nothing of the way in use and would hide one that is
///                  tried
void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint32_t way,
                        uint64_t now_ns);

/// Whether a packet came so late that a newer one was here half a second before.
static inline bool bksi_link_is_stale(const bksi_link *link, uint64_t number)
{
    return number < link->stale_below;
}

/// Whether an echo is due: every 50 ms, but every 100 ms of more than two packets in 50 ms. Where
/// packets come slowly a line may be narrow. At once of one that came by another way than the one
/// before it: the sender tries that way, and the next packet would hide it.
bool bksi_link_owes_echo(const bksi_link *link, uint64_t now_ns);

/// The newest packet that came is to be echoed, though others come before that.
void bksi_link_owe_echo(bksi_link *link);

/// What to echo: the newest packet that came, or that one. bksi_link_owes_echo() is true.
bksi_echo bksi_link_echo(bksi_link *link, uint64_t now_ns);

/// One measured round trip.
void bksi_link_measured(bksi_link *link, double round_trip_ns);

/// Share of the peer's packets that did not come, 0..1. While packets come by a detour, one that
/// did not is taken for a probe of the straight way each BKSI_PATH_PROBE_GAP_NS.
double bksi_link_loss(const bksi_link *link);

#endif
