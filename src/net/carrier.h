// SPDX-License-Identifier: MIT

/// @file carrier.h
/// Packets that wait to be carried to their next peer: those of others on their way through us, and
/// our own that go by a detour. Of each ordered pair the newest two INPUTs wait: two, since where
/// all send as often two may come between two ticks of ours, and each may hold an echo that comes
/// once; and one may try another route. Of other types two packets of a pair wait. To each next
/// peer the origins go by turns, so that all get the same bytes.
///
/// Fixed size, no clock, no allocation. A packet is what wire/carried.h carries; what is in it only
/// its two ends can read, but for its type.

#ifndef BKSI_CARRIER_H
#define BKSI_CARRIER_H

#include "net/route.h"
#include "wire/carried.h"

/// INPUTs of a pair.
#define BKSI_CARRIER_INPUTS_OF_PAIR 2u

/// Packets that are no INPUT: of a pair, and of all.
#define BKSI_CARRIER_OTHERS_OF_PAIR 2u
#define BKSI_CARRIER_OTHERS         16u

/// All of these, and the INPUTs of each pair but those to us.
#define BKSI_CARRIER_SLOTS \
    (BKSI_CARRIER_INPUTS_OF_PAIR * (BKS_PEERS_MAX - 1) * (BKS_PEERS_MAX - 1) + BKSI_CARRIER_OTHERS)

/// A packet that waits.
typedef struct bksi_carrier_slot {
    uint32_t count; ///< bytes, 0: the slot is free
    uint32_t hop;   ///< the peer that gets it next
    uint32_t origin;
    uint32_t target;
    bool is_input;
    uint32_t bits;  ///< of its route
    uint64_t order; ///< of its coming
    uint64_t since_ns;
    uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX];
} bksi_carrier_slot;

/// The turns of origins to one peer: that with the fewest bytes is next, and one that comes anew
/// begins where the others are.
typedef struct bksi_carrier_turns {
    uint32_t waiting; ///< packets
    uint64_t bytes[BKS_PEERS_MAX];
    uint64_t now_bytes; ///< of the origin that had the last turn, before it
} bksi_carrier_turns;

typedef struct bksi_carrier {
    bksi_carrier_slot slots[BKSI_CARRIER_SLOTS];
    bksi_carrier_turns turns[BKS_PEERS_MAX]; ///< by next peer
    uint32_t waiting;                        ///< bits: next peers for which something waits
    uint64_t came;
    uint64_t dropped; ///< for want of room
} bksi_carrier;

void bksi_carrier_init(bksi_carrier *carrier);

/// A packet is to wait.
/// @param routed  as the next peer is to read it
/// @param count   1..BKSI_CARRIED_PACKET_BYTES_MAX
void bksi_carrier_put(bksi_carrier *carrier, const bksi_routed *routed, const uint8_t *packet,
                      size_t count, uint64_t now_ns);

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
