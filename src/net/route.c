// SPDX-License-Identifier: MIT

// Layout of the 32 bits, lowest first: origin 3, target 3, carriers 3, passed 3, then 3 for each
// carrier; bits 15 and 31 are not the route's, and the rest is 0. No peer occurs twice, so a packet
// ends after eight hops at most.

#include "net/route.h"

#include <string.h>

#include "wire/carried.h"

#define PEER_BITS 3u
#define PEER_MASK 7u
#define FIRST_AT  (4u * PEER_BITS)
#define SECOND_AT 16u

_Static_assert(BKS_PEERS_MAX == 1u << PEER_BITS, "a peer takes three bits");
_Static_assert(1u << (FIRST_AT + PEER_BITS) == BKSI_CARRIED_IS_OWN, "the first carrier fits");
_Static_assert(1u << (SECOND_AT + (BKSI_CARRIERS_MAX - 1) * PEER_BITS) == BKSI_CARRIED_IS_SIZED,
               "the others fit");

/// Return the position of a carrier's bits.
static uint32_t carrier_at(uint32_t index)
{
    return index == 0 ? FIRST_AT : SECOND_AT + (index - 1) * PEER_BITS;
}

bool bksi_route_equals(const bksi_route *route, const bksi_route *other)
{
    return route->carriers == other->carriers &&
           memcmp(route->peers, other->peers, route->carriers) == 0;
}

uint32_t bksi_routed_bits(const bksi_routed *routed)
{
    uint32_t bits = routed->origin | routed->target << PEER_BITS |
                    routed->route.carriers << 2 * PEER_BITS | routed->passed << 3 * PEER_BITS;
    for (uint32_t i = 0; i < routed->route.carriers; i++) {
        bits |= (uint32_t)routed->route.peers[i] << carrier_at(i);
    }
    return bits;
}

bool bksi_routed_read(uint32_t bits, uint32_t members, bksi_routed *routed)
{
    *routed = (bksi_routed){.origin = bits & PEER_MASK,
                            .target = bits >> PEER_BITS & PEER_MASK,
                            .passed = bits >> 3 * PEER_BITS & PEER_MASK};
    uint32_t carriers = bits >> 2 * PEER_BITS & PEER_MASK;
    if (carriers == 0 || carriers > BKSI_CARRIERS_MAX || routed->passed > carriers ||
        routed->origin == routed->target) {
        return false;
    }
    uint32_t seen = 1u << routed->origin | 1u << routed->target;
    routed->route.carriers = carriers;
    for (uint32_t i = 0; i < carriers; i++) {
        uint32_t peer = bits >> carrier_at(i) & PEER_MASK;
        if ((seen >> peer & 1) != 0) {
            return false;
        }
        seen |= 1u << peer;
        routed->route.peers[i] = (uint8_t)peer;
    }
    return bksi_routed_bits(routed) == bits && (seen & ~members) == 0;
}

bool bksi_routed_goes(const bksi_routed *routed, uint32_t from, uint32_t to)
{
    uint32_t passed = routed->passed;
    uint32_t sender = passed == 0 ? routed->origin : routed->route.peers[passed - 1];
    return sender == from && bksi_route_next(&routed->route, passed, routed->target) == to;
}
