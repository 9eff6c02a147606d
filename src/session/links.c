// SPDX-License-Identifier: MIT

#include "session/links.h"

#include <string.h>

/// Packets between two echoes, which measure the round trip.
#define ECHO_EVERY 6u

void bksi_links_move(session_links *links, uint32_t to, uint32_t from)
{
    if (from == BKS_PEERS_MAX) {
        memset(&links->peers[to], 0, sizeof(links->peers[to]));
    } else {
        links->peers[to] = links->peers[from];
    }
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
