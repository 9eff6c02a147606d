// SPDX-License-Identifier: MIT

/// @file carrier.h
/// Packets that wait to be carried to their next peer: those of others on their way through us, and
/// our own that go by a detour. Of each route the newest two INPUTs wait: two, since where all send
/// as often two may come between two ticks of ours, and each may hold an echo that comes once. Of
/// other types the first two of a route wait.
///
/// The one certain thing about a packet is who handed it over. So each of these peers has room of
/// its own, and to each next peer they go by turns, so that all get the same bytes: an origin that
/// hands over its own packets loses none to what others claim to carry for it.
///
/// Fixed size, no clock, no allocation. A packet is what wire/carried.h carries; what is in it only
/// its two ends can read, but for its type.

#ifndef BKSI_CARRIER_H
#define BKSI_CARRIER_H

#include "net/route.h"
#include "wire/carried.h"

/// INPUTs of a route, and other packets.
#define BKSI_CARRIER_INPUTS_OF_ROUTE 2u
#define BKSI_CARRIER_OTHERS_OF_ROUTE 2u

/// What waits of the packets that one peer hands over; a short one counts as SHORT_BYTES.
#define BKSI_CARRIER_BYTES       6400u
#define BKSI_CARRIER_SHORT_BYTES 200u

/// All of these, and the one that comes.
#define BKSI_CARRIER_PACKETS    (BKSI_CARRIER_BYTES / BKSI_CARRIER_SHORT_BYTES + 1)
#define BKSI_CARRIER_ROOM_BYTES (BKSI_CARRIER_BYTES + BKSI_CARRIED_PACKET_BYTES_MAX)

/// A packet that waits.
typedef struct bksi_carrier_packet {
    uint64_t since_ns;
    uint32_t count; ///< bytes
    uint32_t hop;   ///< the peer that gets it next
    bksi_routed routed;
    uint32_t bits; ///< of its route
    bool is_input;
    bool is_taken; ///< it goes now
} bksi_carrier_packet;

/// What one peer handed over, in the order of its coming.
typedef struct bksi_carrier_queue {
    uint32_t count; ///< packets
    uint32_t used;  ///< of `bytes`
    uint32_t cost;  ///< the same, where short ones count for more
    bksi_carrier_packet packets[BKSI_CARRIER_PACKETS];
    uint8_t bytes[BKSI_CARRIER_ROOM_BYTES]; ///< of all, without gaps
} bksi_carrier_queue;

/// The turns to one next peer, by the peers that hand over: the one with the fewest bytes is next.
/// One of which nothing waited begins with `now_bytes` at least.
typedef struct bksi_carrier_turns {
    uint32_t waiting; ///< packets
    uint64_t bytes[BKS_PEERS_MAX];
    uint64_t now_bytes; ///< of the one that had the last turn, before it
} bksi_carrier_turns;

typedef struct bksi_carrier {
    bksi_carrier_queue queues[BKS_PEERS_MAX]; ///< by the peer that handed it over; ours: our own
    bksi_carrier_turns turns[BKS_PEERS_MAX];  ///< by next peer
    uint32_t waiting;                         ///< bits: next peers for which something waits
    uint64_t dropped;                         ///< for want of room
} bksi_carrier;

void bksi_carrier_init(bksi_carrier *carrier);

/// A packet is to wait.
/// @param routed     as the next peer is to read it
/// @param count      1..BKSI_CARRIED_PACKET_BYTES_MAX
/// @param is_narrow  the line to the next peer: of each route only the newest INPUT waits
void bksi_carrier_put(bksi_carrier *carrier, const bksi_routed *routed, const uint8_t *packet,
                      size_t count, bool is_narrow, uint64_t now_ns);

/// Bits of the next peers for which something waits; whether it does for one.
static inline uint32_t bksi_carrier_hops(const bksi_carrier *carrier)
{
    return carrier->waiting;
}
static inline bool bksi_carrier_waits(const bksi_carrier *carrier, uint32_t hop)
{
    return (carrier->waiting >> hop & 1) != 0;
}

/// Since when the oldest packet for a peer has waited, UINT64_MAX: none does.
uint64_t bksi_carrier_since_ns(const bksi_carrier *carrier, uint32_t hop);

/// Append what waits for a peer, as far as it fits, to the body of a CARRIED.
/// @param writer  over a body, behind the own message if there is one
/// @return packets
uint32_t bksi_carrier_fill(bksi_carrier *carrier, uint32_t hop, bksi_byte_writer *writer);

#endif
