// SPDX-License-Identifier: MIT

// 32 bits, the lowest first: origin 3, target 3, carriers 3, passed 3, then 3 for each carrier; the
// rest is 0. No peer occurs twice, so a packet ends after eight at the latest.

#include "net/route.h"

#include <string.h>

#include "base/bytes.h"

#define PEER_BITS 3u
#define PEER_MASK 7u
#define HEAD_BITS (4u * PEER_BITS)

_Static_assert(BKS_PEERS_MAX == 1u << PEER_BITS, "a peer takes three bits");
_Static_assert(HEAD_BITS + BKSI_CARRIERS_MAX * PEER_BITS <= 8 * BKSI_ROUTE_BYTES, "a route fits");

bool bksi_route_equals(const bksi_route *route, const bksi_route *other)
{
    return route->carriers == other->carriers &&
           memcmp(route->peers, other->peers, route->carriers) == 0;
}

void bksi_routed_write(const bksi_routed *routed, uint8_t bytes[BKSI_ROUTE_BYTES])
{
    uint32_t bits = routed->origin | routed->target << PEER_BITS |
                    routed->route.carriers << 2 * PEER_BITS | routed->passed << 3 * PEER_BITS;
    for (uint32_t i = 0; i < routed->route.carriers; i++) {
        bits |= (uint32_t)routed->route.peers[i] << (HEAD_BITS + i * PEER_BITS);
    }
    bksi_put_u32(bytes, bits);
}

bool bksi_routed_read(const uint8_t bytes[BKSI_ROUTE_BYTES], uint32_t members, bksi_routed *routed)
{
    uint32_t bits = bksi_get_u32(bytes);
    *routed = (bksi_routed){.origin = bits & PEER_MASK,
                            .target = bits >> PEER_BITS & PEER_MASK,
                            .passed = bits >> 3 * PEER_BITS & PEER_MASK};
    uint32_t carriers = bits >> 2 * PEER_BITS & PEER_MASK;
    if (carriers == 0 || carriers > BKSI_CARRIERS_MAX || routed->passed > carriers ||
        routed->origin == routed->target) {
        return false;
    }
    uint32_t seen = 1u << routed->origin | 1u << routed->target;
    uint32_t left = bits >> HEAD_BITS;
    routed->route.carriers = carriers;
    for (uint32_t i = 0; i < carriers; i++) {
        uint32_t peer = left & PEER_MASK;
        left >>= PEER_BITS;
        if ((seen >> peer & 1) != 0) {
            return false;
        }
        seen |= 1u << peer;
        routed->route.peers[i] = (uint8_t)peer;
    }
    return left == 0 && (seen & ~members) == 0;
}
