// SPDX-License-Identifier: MIT

/// @file peers.h
/// Masks of peers.

#ifndef BKSI_PEERS_H
#define BKSI_PEERS_H

#include "base/bits.h"

#define PEER_BIT(peer) (1u << (peer))

/// The lowest peer of a mask, BKS_PEERS_MAX when it is empty.
static inline uint32_t bksi_peers_lowest(uint32_t peers)
{
    return peers != 0 ? bksi_lowest_bit(peers) : BKS_PEERS_MAX;
}

/// How many peers a mask holds.
uint32_t bksi_peers_count(uint32_t peers);

#endif
