// SPDX-License-Identifier: MIT

/// @file route.h
/// The peers that carry a packet, one after the other, chosen by its sender.

#ifndef BKSI_ROUTE_H
#define BKSI_ROUTE_H

#include "backstitch/base.h"

/// Everybody but the sender and the receiver.
#define BKSI_CARRIERS_MAX (BKS_PEERS_MAX - 2u)

typedef struct bksi_route {
    uint32_t carriers; ///< 0..BKSI_CARRIERS_MAX; 0: straight
    uint8_t peers[BKSI_CARRIERS_MAX];
} bksi_route;

static inline bool bksi_route_is_direct(const bksi_route *route)
{
    return route->carriers == 0;
}

bool bksi_route_equals(const bksi_route *route, const bksi_route *other);

/// Which peer a packet goes to after `passed` carriers.
static inline uint32_t bksi_route_next(const bksi_route *route, uint32_t passed, uint32_t target)
{
    return passed < route->carriers ? route->peers[passed] : target;
}

/// The route of a packet on its way.
typedef struct bksi_routed {
    bksi_route route;
    uint32_t passed; ///< carriers that had it before the reader
    uint32_t origin;
    uint32_t target;
} bksi_routed;

/// The bits that go with the packet: wire/carried.h.
uint32_t bksi_routed_bits(const bksi_routed *routed);

/// @param members  bits of the peers
/// @return false when it leads nowhere: a peer twice, or one that is no member
bool bksi_routed_read(uint32_t bits, uint32_t members, bksi_routed *routed);

/// Whether a packet of this route goes from one peer to another now.
bool bksi_routed_goes(const bksi_routed *routed, uint32_t from, uint32_t to);

#endif
