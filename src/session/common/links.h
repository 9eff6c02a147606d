// SPDX-License-Identifier: MIT

/// @file links.h
/// How the way to each peer is: round trips, losses, packets. links.c alone writes this; others
/// ask.

#ifndef BKSI_LINKS_H
#define BKSI_LINKS_H

#include "backstitch/session.h"

#include "net/guard.h"
#include "net/line.h"
#include "net/link.h"
#include "wire/input_message.h"

typedef struct session_link {
    bksi_link link; ///< from the peer to us
    bksi_line line; ///< from us to the peer
    bksi_echo echo; ///< the last that went
    uint32_t path;  ///< in use there: the line is measured by its packets alone
    bool is_detour; ///< it leads through others: several lines, of which echoes show the sum
    uint64_t packets_sent;
    uint64_t packets_received;
    uint64_t bytes_sent; ///< of sealed packets
    uint64_t bytes_received;
    bksi_line_rate rate;  ///< of all messages to the peer but BULK
    uint64_t bulk_ns;     ///< when a part of a stream last went
    uint64_t reported_ns; ///< when the line was last reported as too narrow
    double trips_ns;      ///< sum of all round trips since the first tick
    uint64_t trips;       ///< how many
} session_link;

typedef struct session_links {
    session_link peers[BKS_PEERS_MAX];
} session_links;

/// A number passes to another peer.
void bksi_links_forget(session_links *links, uint32_t peer);
/// A sealed packet goes to a peer.
/// @param number  by which its seal counts; it falls with new keys
/// @param bytes   all that are given to the transport
/// @param path    that it takes
void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number, size_t bytes,
                     uint32_t path, uint64_t now_ns);
/// The match begins, and with it the rate of a line.
/// @param most  packets a second where the line carries them
void bksi_links_begin(session_links *links, uint32_t peer, double most, uint64_t now_ns);
/// An INPUT goes.
/// @param bytes  all that are given to the transport
void bksi_links_charge(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns);
/// Another message goes, but not a part of a stream.
/// @param bytes  all that are given to the transport
void bksi_links_charge_beside(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns);
/// From now on packets of others ride with ours.
static inline void bksi_links_carries(session_links *links, uint32_t peer)
{
    bksi_line_rate_carries(&links->peers[peer].rate);
}
/// A part of a stream goes.
static inline void bksi_links_sent_bulk(session_links *links, uint32_t peer, uint64_t now_ns)
{
    links->peers[peer].bulk_ns = now_ns;
}
/// Follow the line, and say whether it carries a packet now.
bool bksi_links_follow(session_links *links, uint32_t peer, uint64_t now_ns);
/// Whether to report that a line which was full at the least cannot carry even that.
bool bksi_links_report_narrow(session_links *links, uint32_t peer, uint64_t now_ns);
/// Packets to a peer take another path from now on; back from a detour the rate begins anew.
void bksi_links_change_path(session_links *links, uint32_t peer, uint32_t path, bool is_detour,
                            uint64_t now_ns);
/// They take this path, which may be another.
static inline void bksi_links_take_path(session_links *links, uint32_t peer, uint32_t path,
                                        bool is_detour, uint64_t now_ns)
{
    if (links->peers[peer].path != path) {
        bksi_links_change_path(links, peer, path, is_detour, now_ns);
    }
}
/// Where one is due, the newest packet of a peer is echoed to it; and by every packet that tries
/// another way, since the way in use may fail.
void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns, bool is_probe,
                          bksi_input_head *head);

/// Whether the line to a peer carries a packet now.
static inline bool bksi_links_is_due(session_links *links, uint32_t peer, uint64_t now_ns)
{
    const session_link *link = &links->peers[peer];
    return bksi_line_rate_is_steady(&link->rate, &link->line) ||
           bksi_links_follow(links, peer, now_ns);
}

/// Whether to report that the line cannot carry even the least.
static inline bool bksi_links_is_narrow(session_links *links, uint32_t peer, uint64_t now_ns)
{
    return links->peers[peer].rate.starved_ns != 0 && bksi_links_report_narrow(links, peer, now_ns);
}

/// Whether packets to a peer are to be small. On a detour carriers drop what is too much for their
/// lines, so there each packet holds all inputs.
static inline bool bksi_links_is_sparing(const session_links *links, uint32_t peer)
{
    return bksi_line_rate_is_sparing(&links->peers[peer].rate) && !links->peers[peer].is_detour;
}

/// From one packet to the next on a line that is too narrow for all; 0: on any other.
static inline uint64_t bksi_links_gap_ns(const session_links *links, uint32_t peer)
{
    const bksi_line_rate *rate = &links->peers[peer].rate;
    return bksi_line_rate_is_backing_off(rate) ? bksi_line_rate_gap_ns(rate) : 0;
}

/// How long a message takes on a line that is too narrow for all, if nothing else goes; 0: on any
/// other.
/// @param bytes  of its body
static inline uint64_t bksi_links_bytes_ns(const session_links *links, uint32_t peer, size_t bytes)
{
    const bksi_line_rate *rate = &links->peers[peer].rate;
    const size_t all = bytes + BKSI_PACKET_SEAL_BYTES + BKSI_DATAGRAM_HEAD_BYTES;
    return bksi_line_rate_is_backing_off(rate) ? bksi_line_rate_bytes_ns(rate, all) : 0;
}

/// Whether there is no room beside the match.
static inline bool bksi_links_is_cramped(const session_links *links, uint32_t peer)
{
    return bksi_line_rate_is_cramped(&links->peers[peer].rate, &links->peers[peer].line);
}

/// The newest packet of a peer is echoed to it anyway; hold is BKSI_HOLD_NONE before the first.
static inline bksi_echo bksi_links_echo(session_links *links, uint32_t peer, uint64_t now_ns)
{
    return bksi_link_echo(&links->peers[peer].link, now_ns);
}

/// The newest packet of a peer is to be echoed to it, though others come before that.
static inline void bksi_links_owe_echo(session_links *links, uint32_t peer)
{
    bksi_link_owe_echo(&links->peers[peer].link);
}

/// The echo of a packet of ours came.
/// @param is_timely  it has not waited for us: the line is measured by it
/// @param path       receives the path that the packet took
/// @return false when we know of no such packet, or it came too long ago
bool bksi_links_echoed(session_links *links, uint32_t peer, const bksi_echo *echo, bool is_timely,
                       uint64_t now_ns, uint32_t *path);

/// A sealed packet of a peer came.
/// @param way  its route, 0: it came straight
static inline void bksi_links_received(session_links *links, uint32_t peer,
                                       const bksi_guard_message *message, uint32_t route,
                                       uint64_t now_ns)
{
    links->peers[peer].bytes_received += message->body_bytes + BKSI_PACKET_SEAL_BYTES;
    bksi_link_received(&links->peers[peer].link, message->number, message->is_first, route, now_ns);
}

/// A message went to a peer, or came and was sound.
static inline void bksi_links_count_sent(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_sent++;
}

static inline void bksi_links_count_received(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_received++;
}

static inline void bksi_links_measured(session_links *links, uint32_t peer, double round_trip_ns)
{
    bksi_link_measured(&links->peers[peer].link, round_trip_ns);
}

/// Find the longest round trip to the peers of a mask, 0 when none was measured.
double bksi_links_longest_trip_ns(const session_links *links, uint32_t peers);

static inline double bksi_links_round_trip_ns(const session_links *links, uint32_t peer)
{
    return links->peers[peer].link.round_trip_ns;
}

#endif
