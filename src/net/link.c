// SPDX-License-Identifier: MIT

#include "net/link.h"

uint16_t bksi_link_take_number(bksi_link *link, uint64_t now_ns)
{
    uint16_t number = link->next_number++;
    link->sent_ns[number % BKSI_LINK_SENT_KEPT] = now_ns;
    return number;
}

void bksi_link_received(bksi_link *link, uint16_t number, uint64_t now_ns)
{
    link->received++;
    if (!link->any_received) {
        link->any_received = true;
        link->expected = 1;
        link->newest_number = number;
        link->newest_ns = now_ns;
        return;
    }
    int16_t ahead = (int16_t)(uint16_t)(number - link->newest_number);
    if (ahead <= 0)
        return;
    link->expected += (uint64_t)ahead;
    link->newest_number = number;
    link->newest_ns = now_ns;
}

bool bksi_link_echo(const bksi_link *link, uint64_t now_ns, uint64_t unit_ns, uint8_t *number,
                    uint8_t *hold)
{
    if (!link->any_received)
        return false;
    uint64_t held = (now_ns - link->newest_ns) / unit_ns;
    *number = (uint8_t)link->newest_number;
    *hold = (uint8_t)(held < 255 ? held : 255);
    return true;
}

void bksi_link_echoed(bksi_link *link, uint8_t number, uint64_t hold_ns, uint64_t now_ns)
{
    uint8_t newest = (uint8_t)(link->next_number - 1);
    uint8_t back = (uint8_t)(newest - number);
    if (back >= link->next_number)
        return;
    uint64_t sent_ns = link->sent_ns[number % BKSI_LINK_SENT_KEPT];
    if (now_ns < sent_ns + hold_ns)
        return;
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
    if (link->expected == 0 || link->received >= link->expected)
        return 0.0;
    return 1.0 - (double)link->received / (double)link->expected;
}
