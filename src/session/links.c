// SPDX-License-Identifier: MIT

#include "session/links.h"

#include <string.h>

/// An echo, which measures the round trip, goes with every so many packets.
#define ECHO_EVERY 6u

void bksi_links_move(session_links *links, uint32_t to, uint32_t from)
{
    if (from == BKS_PEERS_MAX) {
        memset(&links->peers[to], 0, sizeof(links->peers[to]));
    } else {
        links->peers[to] = links->peers[from];
    }
}

void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number, uint64_t now_ns)
{
    bksi_link_sent(&links->peers[peer].link, number, now_ns);
}

void bksi_links_received(session_links *links, uint32_t peer, const bksi_guard_message *message,
                         uint64_t now_ns)
{
    bksi_link_received(&links->peers[peer].link, message->number, message->is_first, now_ns);
}

void bksi_links_count_sent(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_sent++;
}

void bksi_links_count_received(session_links *links, uint32_t peer)
{
    links->peers[peer].packets_received++;
}

void bksi_links_echoed(session_links *links, uint32_t peer, const bksi_input_head *head,
                       uint64_t now_ns)
{
    bksi_link_echoed(&links->peers[peer].link, head->echo, head->hold * (uint64_t)BKSI_HOLD_UNIT_NS,
                     now_ns);
}

void bksi_links_measured(session_links *links, uint32_t peer, double round_trip_ns)
{
    bksi_link_measured(&links->peers[peer].link, round_trip_ns);
}

void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns,
                          bksi_input_head *head)
{
    session_link *link = &links->peers[peer];
    if (link->echo_countdown == 0) {
        head->has_echo =
            bksi_link_echo(&link->link, now_ns, BKSI_HOLD_UNIT_NS, &head->echo, &head->hold);
    }
    link->echo_countdown = link->echo_countdown == 0 ? ECHO_EVERY - 1 : link->echo_countdown - 1;
}
