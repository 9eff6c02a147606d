// SPDX-License-Identifier: MIT

/// @file route.h
/// The peers that carry a packet, one after the other. Its sender chooses them.

#ifndef BKSI_ROUTE_H
#define BKSI_ROUTE_H

#include "backstitch/base.h"

/// Maximum number of carriers of a packet: every peer but the sender and the receiver.
#define BKSI_CARRIERS_MAX (BKS_PEERS_MAX - 2u)

typedef struct bksi_route {
    uint32_t carriers; ///< number of carriers, 0..BKSI_CARRIERS_MAX; 0: the route is direct
    uint8_t peers[BKSI_CARRIERS_MAX];
} bksi_route;

static inline bool bksi_route_is_direct(const bksi_route *route)
{
    return route->carriers == 0;
}

bool bksi_route_equals(const bksi_route *route, const bksi_route *other);

/// Return the peer that gets a packet next, after `passed` carriers.
static inline uint32_t bksi_route_next(const bksi_route *route, uint32_t passed, uint32_t target)
{
    return passed < route->carriers ? route->peers[passed] : target;
}

/// Route of a packet under way.
typedef struct bksi_routed {
    bksi_route route;
    uint32_t passed; ///< number of carriers that had the packet before the reader
    uint32_t origin;
    uint32_t target;
} bksi_routed;

/// Return the bits of the route that travel with the packet, see wire/carried.h.
uint32_t bksi_routed_bits(const bksi_routed *routed);

/// Read the bits of a route.
/// @param members  bits of the peers in the match
/// @return false if the route is invalid: a peer occurs twice, or is no member
bool bksi_routed_read(uint32_t bits, uint32_t members, bksi_routed *routed);

/// Return true if a packet on this route is now on its way from peer `from` to peer `to`.
bool bksi_routed_goes(const bksi_routed *routed, uint32_t from, uint32_t to);

#endif
