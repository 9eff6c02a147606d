// SPDX-License-Identifier: MIT

#include "session/common/links.h"

#include <string.h>

#include "base/mutant.h"
#include "session/common/seats.h"

/// Time after a BULK was sent for which its line counts as shared with a bulk stream.
#define SHARED_NS UINT64_C(1000000000)

/// Shortest time between two events that say that the same line is too narrow.
#define TELL_AGAIN_NS (60 * UINT64_C(1000000000))

void bksi_links_forget(session_links *links, uint32_t peer)
{
    memset(&links->peers[peer], 0, sizeof(links->peers[peer]));
}

double bksi_links_longest_trip_ns(const session_links *links, uint32_t peers)
{
    double longest_ns = 0.0;
    EACH_PEER (i, peers) {
        const double trip_ns = bksi_links_round_trip_ns(links, i);
        longest_ns = trip_ns > longest_ns ? trip_ns : longest_ns;
    }
    return longest_ns;
}

uint64_t bksi_links_assumed_trip_ns(const session_links *links, uint32_t peer)
{
    const uint32_t all = (1u << BKS_PEERS_MAX) - 1;
    return links->peers[peer].link.has_round_trip
               ? (uint64_t)bksi_links_round_trip_ns(links, peer)
               : (uint64_t)(2 * bksi_links_longest_trip_ns(links, all));
}

void bksi_links_sent(session_links *links, uint32_t peer, uint64_t number, size_t bytes,
                     uint32_t path, uint64_t now_ns)
{
    bksi_line *line = &links->peers[peer].line;
    if (line->any_sent && number <= line->newest_sent) {
        // Packet numbers fall only with new keys, so measure the line anew.
        bksi_line_init(line);
        bksi_line_know_trip(line, links->peers[peer].link.least_trip_ns);
    }
    links->peers[peer].bytes_sent += bytes;
    bksi_line_sent(line, number, bytes + BKSI_DATAGRAM_HEAD_BYTES, path, now_ns);
}

void bksi_links_begin(session_links *links, uint32_t peer, double most, uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    const bksi_line_rate_config config = bksi_line_match_config(most, link->link.round_trip_ns);
    bksi_line_rate_init(&link->rate, &config, now_ns);
    bksi_line_know_trip(&link->line, link->link.least_trip_ns);
}

void bksi_links_charge(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns)
{
    bksi_line_rate_sent(&links->peers[peer].rate, bytes + BKSI_DATAGRAM_HEAD_BYTES, now_ns);
}

void bksi_links_charge_beside(session_links *links, uint32_t peer, size_t bytes, uint64_t now_ns)
{
    bksi_line_rate_sent_beside(&links->peers[peer].rate, bytes + BKSI_DATAGRAM_HEAD_BYTES, now_ns);
}

bool bksi_links_follow(session_links *links, uint32_t peer, uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    bksi_line_rate_share(&link->rate, link->bulk_ns != 0 && now_ns - link->bulk_ns < SHARED_NS);
    bksi_line_rate_update(&link->rate, &link->line, now_ns);
    return bksi_mutated(BKSI_MUTANT_BACKOFF) || link->is_detour ||
           bksi_line_rate_is_steady(&link->rate, &link->line) ||
           bksi_line_rate_next_ns(&link->rate) <= now_ns;
}

bool bksi_links_report_narrow(session_links *links, uint32_t peer, uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    const double carries = (double)bksi_line_capacity_bits_per_s(&link->line);
    if (link->is_detour || !bksi_line_rate_is_starved(&link->rate, now_ns) ||
        carries >= bksi_line_rate_least_bits_per_s(&link->rate) ||
        (link->reported_ns != 0 && now_ns - link->reported_ns < TELL_AGAIN_NS)) {
        return false;
    }
    link->reported_ns = now_ns;
    return true;
}

void bksi_links_restart_rate(session_links *links, uint32_t peer, uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    const bksi_line_rate_config config = link->rate.config;
    bksi_line_rate_init(&link->rate, &config, now_ns);
    bksi_line_path_changed(&link->line);
}

void bksi_links_change_path(session_links *links, uint32_t peer, uint32_t path, bool is_detour,
                            uint64_t now_ns)
{
    session_link *link = &links->peers[peer];
    // echoes of packets that took the detour say nothing about the direct route
    if (link->is_detour && !is_detour) {
        bksi_links_restart_rate(links, peer, now_ns);
    }
    link->path = path;
    link->is_detour = is_detour;
    bksi_line_path_changed(&link->line);
}

void bksi_links_fill_echo(session_links *links, uint32_t peer, uint64_t now_ns, bool is_probe,
                          bksi_input_head *head)
{
    session_link *link = &links->peers[peer];
    const bool is_again = link->link.any_echoed && link->link.echoed_ns == now_ns;
    head->has_echo = is_again || (is_probe && link->link.any_received) ||
                     bksi_link_owes_echo(&link->link, now_ns);
    if (head->has_echo && !is_again) {
        link->echo = bksi_link_echo(&link->link, now_ns);
    }
    head->echo = head->has_echo ? link->echo : (bksi_echo){0};
}

bool bksi_links_echoed(session_links *links, uint32_t peer, const bksi_echo *echo, bool is_timely,
                       uint64_t now_ns, uint32_t *path)
{
    session_link *link = &links->peers[peer];
    const bksi_line_echo arrival = {.number = bksi_line_number(&link->line, echo->number),
                                    .stamp = echo->stamp,
                                    .came = echo->came,
                                    .hold_ns = echo->hold * (uint64_t)BKSI_HOLD_UNIT_NS};
    if (echo->hold == BKSI_HOLD_NONE || !bksi_line_path_of(&link->line, arrival.number, path)) {
        return false;
    }
    uint64_t samples = link->line.sample_count;
    if (is_timely && *path == link->path) {
        bksi_line_echoed(&link->line, &arrival, now_ns);
    }
    if (link->line.sample_count != samples) {
        bksi_link_measured(&link->link, link->line.newest_round_trip_ns);
        link->trips_ns += link->line.newest_round_trip_ns;
        link->trips++;
    }
    return true;
}
