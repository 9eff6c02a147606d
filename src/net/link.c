// SPDX-License-Identifier: MIT

#include "net/link.h"

void bksi_link_sent(bksi_link *link, uint64_t number, uint64_t now_ns)
{
    link->sent = number + 1;
    link->sent_ns[number % BKSI_LINK_SENT_KEPT] = now_ns;
}

void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint64_t now_ns)
{
    link->received++;
    if (!link->any_received || is_first) {
        link->any_received = true;
        link->expected = link->received;
        link->newest_number = number;
        link->newest_ns = now_ns;
        return;
    }
    if (number <= link->newest_number) {
        return;
    }
    link->expected += number - link->newest_number;
    link->newest_number = number;
    link->newest_ns = now_ns;
}

bool bksi_link_echo(const bksi_link *link, uint64_t now_ns, uint64_t unit_ns, uint8_t *number,
                    uint8_t *hold)
{
    if (!link->any_received) {
        return false;
    }
    uint64_t held = (now_ns - link->newest_ns) / unit_ns;
    *number = (uint8_t)link->newest_number;
    *hold = (uint8_t)(held < 255 ? held : 255);
    return true;
}

void bksi_link_echoed(bksi_link *link, uint8_t number, uint64_t hold_ns, uint64_t now_ns)
{
    uint8_t back = (uint8_t)(link->sent - 1 - number);
    if (back >= link->sent) {
        return;
    }
    uint64_t sent_ns = link->sent_ns[number % BKSI_LINK_SENT_KEPT];
    if (now_ns < sent_ns + hold_ns) {
        return;
    }
    bksi_link_measured(link, (double)(now_ns - sent_ns - hold_ns));
}

void bksi_link_measured(bksi_link *link, double round_trip_ns)
{
    if (!link->has_round_trip) {
        link->has_round_trip = true;
        link->round_trip_ns = round_trip_ns;
        link->deviation_ns = 0.0;
        return;
    }
    double off = round_trip_ns - link->round_trip_ns;
    link->round_trip_ns += off / 8.0;
    link->deviation_ns += ((off < 0.0 ? -off : off) - link->deviation_ns) / 4.0;
}

double bksi_link_loss(const bksi_link *link)
{
    if (link->expected == 0 || link->received >= link->expected) {
        return 0.0;
    }
    return 1.0 - (double)link->received / (double)link->expected;
}
