// SPDX-License-Identifier: MIT

/// @file links.h
/// Links to the other peers: round trips, losses, packets, rates. Only links.c changes
/// session_links; other files use its functions.

#ifndef BKSI_LINKS_H
#define BKSI_LINKS_H

#include "backstitch/session.h"

#include "net/guard.h"
#include "net/line.h"
#include "net/link.h"
#include "wire/input_message.h"

typedef struct session_link {
    bksi_link link; ///< packets that arrived from the peer, their losses, and the round trip
    bksi_line line; ///< state of the line from us to the peer, by the peer's echoes
    bksi_echo echo; ///< last echo that we sent to the peer
    uint32_t path;  ///< number of the route in use; only packets on this route measure the line
    bool is_detour; ///< the route has carriers: echoes show the sum of several lines
    uint64_t packets_sent;
    uint64_t packets_received;
    uint64_t bytes_sent; ///< bytes of all sealed packets sent to the peer
    uint64_t bytes_received;
    bksi_line_rate rate;  ///< rate of all messages to the peer except BULK
    uint64_t bulk_ns;     ///< time at which a BULK was last sent to the peer
    uint64_t reported_ns; ///< time at which the line was last reported as too narrow
    double trips_ns;      ///< sum of all round trips since the first tick
    uint64_t trips;       ///< number of round trips in trips_ns
    uint64_t missed;      ///< packets lost before the first tick while our process did not run
} session_link;

typedef struct session_links {
    session_link peers[BKS_PEERS_MAX];
} session_links;

/// Reset the link of a peer's number, because another peer gets that number.
void bksi_links_forget(session_links *links, uint32_t peer);
/// Count a sealed packet to a peer.
/// @param number  number of the packet in its seal; new keys restart it at 0
/// @param bytes   bytes given to the transport
/// @param path    number of the packet's route
void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number, size_t bytes,
                     uint32_t path, uint64_t now_ns);
/// Set the first rate of messages to a peer, at the start of the match.
/// @param most  highest rate, in packets per second; the line may carry less
void bksi_links_begin(session_links *links, uint32_t peer, double most, uint64_t now_ns);
/// Count the bytes of an INPUT against the rate of messages to its receiver.
/// @param bytes  bytes given to the transport
void bksi_links_charge(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns);
/// Count the bytes of a message that is neither INPUT nor BULK against the rate of messages to its
/// receiver.
/// @param bytes  bytes given to the transport
void bksi_links_charge_beside(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns);
/// Record that from now on our packets to a peer also carry packets of other peers.
static inline void bksi_links_carries(session_links *links, uint32_t peer)
{
    bksi_line_rate_carries(&links->peers[peer].rate);
}
/// Record that a BULK is sent to a peer.
static inline void bksi_links_sent_bulk(session_links *links, uint32_t peer, uint64_t now_ns)
{
    links->peers[peer].bulk_ns = now_ns;
}
/// Adjust the rate of messages to a peer to its line.
/// @return true if the line can carry a packet now
bool bksi_links_follow(session_links *links, uint32_t peer, uint64_t now_ns);
/// Return true if an event must say that a line cannot even carry the lowest rate. The same line
/// gives true at most once a minute.
bool bksi_links_report_narrow(session_links *links, uint32_t peer, uint64_t now_ns);
/// Start the rate of messages to a peer from its first value again, because the echoes so far say
/// nothing about its line.
void bksi_links_restart_rate(session_links *links, uint32_t peer, uint64_t now_ns);
/// Change the route of packets to a peer. If the new route is direct after a detour, the rate
/// starts from its first value again.
void bksi_links_change_path(session_links *links, uint32_t peer, uint32_t path, bool is_detour,
                            uint64_t now_ns);
/// Set the route for packets to a peer. Do nothing if it is already in use.
static inline void bksi_links_take_path(session_links *links, uint32_t peer, uint32_t path,
                                        bool is_detour, uint64_t now_ns)
{
    if (links->peers[peer].path != path) {
        bksi_links_change_path(links, peer, path, is_detour, now_ns);
    }
}
/// Fill in the echo of the peer's newest packet, if one is due.
/// @param is_probe  true if the packet tries another route: it always has an echo, because the
///                  route in use may fail
void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns, bool is_probe,
                          bksi_input_head *head);

/// Return true if the line to a peer can carry a packet now.
static inline bool bksi_links_is_due(session_links *links, uint32_t peer, uint64_t now_ns)
{
    const session_link *link = &links->peers[peer];
    return bksi_line_rate_is_steady(&link->rate, &link->line) ||
           bksi_links_follow(links, peer, now_ns);
}

/// Return true if an event must say that a line cannot even carry the lowest rate. The same line
/// gives true at most once a minute.
static inline bool bksi_links_is_narrow(session_links *links, uint32_t peer, uint64_t now_ns)
{
    return links->peers[peer].rate.starved_ns != 0 && bksi_links_report_narrow(links, peer, now_ns);
}

/// Return true if packets to a peer must be small. On a detour they need not be: carriers drop
/// packets beyond the capacity of their lines, so each packet holds all inputs.
static inline bool bksi_links_is_sparing(const session_links *links, uint32_t peer)
{
    return bksi_line_rate_is_sparing(&links->peers[peer].rate) && !links->peers[peer].is_detour;
}

/// If the line is too narrow for all packets, get the time between two packets; otherwise 0.
static inline uint64_t bksi_links_gap_ns(const session_links *links, uint32_t peer)
{
    const bksi_line_rate *rate = &links->peers[peer].rate;
    return bksi_line_rate_is_backing_off(rate) ? bksi_line_rate_gap_ns(rate) : 0;
}

/// If the line is too narrow for all packets, get the time that it needs for a message when nothing
/// else is sent; otherwise 0.
/// @param bytes  bytes of the message's body
static inline uint64_t bksi_links_bytes_ns(const session_links *links, uint32_t peer, size_t bytes)
{
    const bksi_line_rate *rate = &links->peers[peer].rate;
    const size_t all = bytes + BKSI_PACKET_SEAL_BYTES + BKSI_DATAGRAM_HEAD_BYTES;
    return bksi_line_rate_is_backing_off(rate) ? bksi_line_rate_bytes_ns(rate, all) : 0;
}

/// Return true if the line has no room for other messages than those of the match.
static inline bool bksi_links_is_cramped(const session_links *links, uint32_t peer)
{
    return bksi_line_rate_is_cramped(&links->peers[peer].rate, &links->peers[peer].line);
}

/// Get an echo of the newest packet of a peer, even if no echo is due. Before the first packet of
/// the peer the `hold` of the echo is BKSI_HOLD_NONE.
static inline bksi_echo bksi_links_echo(session_links *links, uint32_t peer, uint64_t now_ns)
{
    return bksi_link_echo(&links->peers[peer].link, now_ns);
}

/// Record that the newest packet of a peer must be echoed, even if more packets come before the
/// echo is sent.
static inline void bksi_links_owe_echo(session_links *links, uint32_t peer)
{
    bksi_link_owe_echo(&links->peers[peer].link);
}

/// Process a peer's echo of a packet of ours.
/// @param is_timely  true if the echo did not wait while our process was frozen, so it may measure
///                   the line
/// @param path       receives the number of the route that the packet took
/// @return false if the echo is empty, or its packet is not known
bool bksi_links_echoed(session_links *links, uint32_t peer, const bksi_echo *echo, bool is_timely,
                       uint64_t now_ns, uint32_t *path);

/// Count a sealed packet of a peer.
/// @param route  bits of the packet's route; 0: it came directly
static inline void bksi_links_received(session_links *links, uint32_t peer,
                                       const bksi_guard_message *message, uint32_t route,
                                       uint64_t now_ns)
{
    links->peers[peer].bytes_received += message->body_bytes + BKSI_PACKET_SEAL_BYTES;
    bksi_link_received(&links->peers[peer].link, message->number, message->is_first, route, now_ns);
}

/// Count a message that was sent to a peer.
static inline void bksi_links_count_sent(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_sent++;
}

static inline void bksi_links_count_received(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_received++;
}

/// Note that our process did not run for a while: the packets that are missing by now say nothing
/// of the line.
static inline void bksi_links_note_missed(session_links *links, uint32_t peer)
{
    links->peers[peer].missed = bksi_link_lost(&links->peers[peer].link);
}

static inline void bksi_links_measured(session_links *links, uint32_t peer, double round_trip_ns)
{
    bksi_link_measured(&links->peers[peer].link, round_trip_ns);
}

/// Find the longest round trip to the peers of a mask; 0: none was measured.
double bksi_links_longest_trip_ns(const session_links *links, uint32_t peers);

static inline double bksi_links_round_trip_ns(const session_links *links, uint32_t peer)
{
    return links->peers[peer].link.round_trip_ns;
}

/// Get the round trip to a peer. If it is not measured, assume twice the longest one that is.
uint64_t bksi_links_assumed_trip_ns(const session_links *links, uint32_t peer);

#endif
