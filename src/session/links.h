// SPDX-License-Identifier: MIT

/// @file links.h
/// How the way to each peer is: round trips, losses, packets. links.c alone writes this; others
/// ask.

#ifndef BKSI_LINKS_H
#define BKSI_LINKS_H

#include "backstitch/session.h"

#include "net/guard.h"
#include "net/link.h"
#include "wire/input_message.h"

typedef struct session_link {
    bksi_link link;
    uint32_t echo_countdown; ///< packets until an echo is due
    uint64_t packets_sent;
    uint64_t packets_received;
} session_link;

typedef struct session_links {
    session_link peers[BKS_PEERS_MAX];
} session_links;

/// A peer takes the place of another, `from` BKS_PEERS_MAX: of a new one.
void bksi_links_move(session_links *links, uint32_t to, uint32_t from);
/// Every few packets, the newest packet of a peer is echoed to it.
void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns,
                          bksi_input_head *head);

static inline void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number,
                                   uint64_t now_ns)
{
    bksi_link_sent(&links->peers[peer].link, number, now_ns);
}

static inline void bksi_links_received(session_links *links, uint32_t peer,
                                       const bksi_guard_message *message, uint64_t now_ns)
{
    bksi_link_received(&links->peers[peer].link, message->number, message->is_first, now_ns);
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

/// The echo of a packet of ours came.
static inline void bksi_links_echoed(session_links *links, uint32_t peer,
                                     const bksi_input_head *head, uint64_t now_ns)
{
    bksi_link_echoed(&links->peers[peer].link, head->echo, head->hold * (uint64_t)BKSI_HOLD_UNIT_NS,
                     now_ns);
}

static inline void bksi_links_measured(session_links *links, uint32_t peer, double round_trip_ns)
{
    bksi_link_measured(&links->peers[peer].link, round_trip_ns);
}

static inline double bksi_links_round_trip_ns(const session_links *links, uint32_t peer)
{
    return links->peers[peer].link.round_trip_ns;
}

#endif
