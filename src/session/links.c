// SPDX-License-Identifier: MIT

#include "session/links.h"

#include <string.h>

/// What IPv4 and UDP add to a packet.
#define DATAGRAM_HEAD_BYTES 28u

void bksi_links_forget(session_links *links, uint32_t peer)
{
    memset(&links->peers[peer], 0, sizeof(links->peers[peer]));
}

void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number, size_t bytes,
                     uint64_t now_ns)
{
    bksi_line *line = &links->peers[peer].line;
    if (line->any_sent && number <= line->newest_sent) {
        bksi_line_init(line); // new keys
    }
    bksi_line_sent(line, number, bytes + DATAGRAM_HEAD_BYTES, 0, now_ns);
}

void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns,
                          bksi_input_head *head)
{
    bksi_link *link = &links->peers[peer].link;
    head->has_echo = bksi_link_owes_echo(link, now_ns);
    if (head->has_echo) {
        head->echo = bksi_link_echo(link, now_ns);
    }
}

void bksi_links_echoed(session_links *links, uint32_t peer, const bksi_echo *echo, uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    const bksi_line_echo arrival = {.number = bksi_line_number(&link->line, echo->number),
                                    .stamp = echo->stamp,
                                    .came = echo->came,
                                    .hold_ns = echo->hold * (uint64_t)BKSI_HOLD_UNIT_NS};
    uint64_t samples = link->line.sample_count;
    bksi_line_echoed(&link->line, &arrival, now_ns);
    if (link->line.sample_count != samples) {
        bksi_link_measured(&link->link, link->line.newest_round_trip_ns);
    }
}
