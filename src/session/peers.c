// SPDX-License-Identifier: MIT

#include "session/peers.h"

#include "backstitch/session.h"

uint32_t bksi_peers_lowest(uint32_t peers)
{
    uint32_t lowest = 0;
    while (lowest < BKS_PEERS_MAX && (peers & PEER_BIT(lowest)) == 0) {
        lowest++;
    }
    return lowest;
}

uint32_t bksi_peers_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}
