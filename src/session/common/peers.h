// SPDX-License-Identifier: MIT

/// @file peers.h
/// Masks of peers.

#ifndef BKSI_PEERS_H
#define BKSI_PEERS_H

#include "base/bits.h"

#define PEER_BIT(peer) (1u << (peer))

/// The peers of a mask, from the lowest on.
#define EACH_PEER(peer, mask)                                                                    \
    for (uint32_t peer##_left = (mask), peer = bksi_peers_lowest(peer##_left); peer##_left != 0; \
         peer##_left &= peer##_left - 1, peer = bksi_peers_lowest(peer##_left))

/// The lowest peer of a mask, BKS_PEERS_MAX when it is empty.
static inline uint32_t bksi_peers_lowest(uint32_t peers)
{
    return peers != 0 ? bksi_lowest_bit(peers) : BKS_PEERS_MAX;
}

/// How many peers a mask holds.
uint32_t bksi_peers_count(uint32_t peers);

#endif
