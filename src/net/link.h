// SPDX-License-Identifier: MIT

/// @file link.h
/// Packets received from one peer: their numbers (those of the seal) and loss; and the smoothed
/// round trip.

#ifndef BKSI_LINK_H
#define BKSI_LINK_H

#include "backstitch/net.h"

#include "wire/small_messages.h"

/// A packet that arrived.
typedef struct bksi_link_arrival {
    uint64_t number;
    uint64_t came_ns;
    uint64_t received; ///< number of packets received up to and including this one
} bksi_link_arrival;

typedef struct bksi_link {
    bool any_received;
    uint64_t newest_number; ///< newest packet number received
    /// Newest packet, except those sent only to carry packets of other peers.
    bksi_link_arrival newest;
    /// Route number of the last packet that was not sent only to carry packets of other peers.
    uint32_t way;
    bool owes_other; ///< `other` must be echoed although newer packets arrived
    bksi_link_arrival other;
    bksi_link_arrival mark; ///< packet that was the newest when `mark` was last set, every 500 ms
    uint64_t stale_below;   ///< packets with a lower number are half a second late or more
    uint64_t received;      ///< number of packets received
    bool any_echoed;
    uint64_t echoed_ns;   ///< time when a packet was last echoed
    uint64_t echoed_came; ///< packets received up to `echoed_ns`
    /// Packets that the peer must have sent, without its probes of the direct route.
    uint64_t expected;
    /// Time up to which missing packets were counted as lost probes of the direct route.
    uint64_t probed_ns;
    double recent_loss; ///< share of the newest packets that were lost, 0..1
    uint32_t recent;    ///< number of packets that `recent_loss` is the mean of
    bool has_round_trip;
    double round_trip_ns; ///< round trip, smoothed by 1/8 as TCP does (RFC 6298)
    double deviation_ns;  ///< deviation of the round trip, smoothed by 1/4
    double least_trip_ns; ///< shortest round trip
} bksi_link;

/// Route number of a packet that was sent only to carry packets of other peers. Such a packet
/// always comes directly, which tells nothing about the route of its sender's own packets.
#define BKSI_ROUTE_OF_OTHERS UINT32_MAX

/// Record that a packet arrived.
/// @param is_first  the packet is the first under new keys: earlier numbers mean nothing
/// @param way       number of the route that the packet took, 0: direct. BKSI_ROUTE_OF_OTHERS: do
///                  not echo the packet, because it tells nothing about the route in use
void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint32_t way,
                        uint64_t now_ns);

/// Return true if a packet with a higher number arrived at least half a second before this one.
static inline bool bksi_link_is_stale(const bksi_link *link, uint64_t number)
{
    return number < link->stale_below;
}

/// Return true if an echo is due: every 50 ms, or every 100 ms if more than two packets arrive in
/// 50 ms. Fewer packets may mean a narrow line. If a packet took another route than the previous
/// packet, it is echoed at once: the sender tries that route, and the next packet would hide it.
bool bksi_link_owes_echo(const bksi_link *link, uint64_t now_ns);

/// Keep the newest packet for the next echo, even if newer packets arrive before the echo.
void bksi_link_owe_echo(bksi_link *link);

/// Return the next echo: of the newest packet, or of the packet kept by bksi_link_owe_echo(). Call
/// it only if bksi_link_owes_echo() returns true.
bksi_echo bksi_link_echo(bksi_link *link, uint64_t now_ns);

/// Add a measured round trip to the link's statistics.
void bksi_link_measured(bksi_link *link, double round_trip_ns);

/// Return the number of packets from the peer that are missing so far.
static inline uint64_t bksi_link_lost(const bksi_link *link)
{
    return link->expected > link->received ? link->expected - link->received : 0;
}

/// Return the share of the peer's packets that were lost, 0..1. While packets come by a detour, one
/// missing packet each BKSI_PATH_PROBE_GAP_NS counts as a probe of the direct route.
double bksi_link_loss(const bksi_link *link);

#endif
